/* A libcuda.so.1 that is older than the functions which Fleetplan needs. */
int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);

int cuInit(unsigned flags)
{
	(void)flags;
	return 0;
}

int cuDriverGetVersion(int *version)
{
	*version = 4000;
	return 0;
}
