// Uses the client that openapi-generator made: one training estimate, one inference estimate, one plan. usage: Client URL
import java.util.Locale;
import org.fleetplan.ApiClient;
import org.fleetplan.api.EstimatesApi;
import org.fleetplan.api.PlansApi;
import org.fleetplan.model.*;

public class Client {
	static TokenDistribution tokens(double count) {
		return new TokenDistribution(new Amount(count));
	}

	public static void main(String[] arguments) throws Exception {
		ApiClient client = new ApiClient().setBasePath(arguments[0]).setReadTimeout(60000);
		EstimatesApi estimates = new EstimatesApi(client);
		PlansApi plans = new PlansApi(client);

		TrainingRequest training = new TrainingRequest().model(new ModelReference("llama-3.1-8b")).tokens(new Amount("15T"))
			.accelerator(new AcceleratorReference("h100")).deadlineHours(new Duration("30d"));
		TrainingOption option = estimates.estimateTraining(training, null, null).getResult().getRecommended();
		System.out.printf(Locale.ROOT, "training %d %.6f%n", option.getGpuCount(), option.getWallClockHours());

		InferenceRequest service = new InferenceRequest().model(new ModelReference("llama-3.1-8b")).accelerator(new AcceleratorReference("h100"))
			.queriesPerMinute(600.0).promptTokens(tokens(1000)).outputTokens(tokens(300))
			.slo(new Slo().ttftMs(new Duration(2000.0)).tpotMs(new Duration(60.0)));
		InferenceOption served = estimates.estimateInference(service, null, null).getResult().getRecommended();
		System.out.printf(Locale.ROOT, "inference %d %.6f%n", served.getReplicas(), served.getLatency().getTtftMs().getP50());

		TrainingPlan plan = plans.createTrainingPlan(training, null, null, null);
		Plan same = plans.getPlan(plan.getId().toString(), null, null, null);
		if (!same.getId().equals(plan.getId()) || same.getKind() != Plan.KindEnum.TRAINING)
			throw new IllegalStateException("another plan");
		System.out.printf(Locale.ROOT, "plan %d %d%n", plan.getResult().getRecommended().getGpuCount(), plan.getRevision());
	}
}
