#!/usr/bin/python3
"""Prints the software bill of materials of the program (SPDX 2.3, JSON): the program, and the Debian package of every shared library that the loader
loads at its start. Libraries that benchmarks open later (drivers, OpenBLAS) are not parts of the program. usage: sbom.py PROGRAM"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def spdx_id(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def libraries(program):
    """Returns the files of the libraries that the loader finds, as `ldd` prints them."""
    listed = output("ldd", program)
    missing = re.findall(r"(\S+) => not found", listed)
    if missing:
        sys.exit(f"sbom: not found: {', '.join(missing)}")
    return re.findall(r"^\s+(?:\S+ => )?(/\S+) \(0x", listed, re.M)


def owners(files):
    """Returns the Debian package of each file that one owns. Its database may name the file by /lib or by /usr/lib."""
    names = {}
    for file in files:
        real = os.path.realpath(file)
        names |= {path: file for path in (file, real, real.removeprefix("/usr"), "/usr" + real)}
    found = subprocess.run(["dpkg-query", "-S", *names], capture_output=True, text=True).stdout  # its exit code is 1: not every name is known
    lines = [line.split(": ") for line in found.splitlines() if not line.startswith("diversion ")]
    return {names[path]: packages.split(",")[0] for packages, path in lines if path in names}


def debian_parts(packages):
    form = "${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\t${Homepage}\n"
    return [debian_part(*line.split("\t")) for line in output("dpkg-query", "-W", "-f", form, *packages).splitlines()]


def debian_part(name, version, architecture, source, source_version, homepage):
    part = {"name": name, "SPDXID": spdx_id(f"Package-{name}"), "versionInfo": version, "supplier": "Organization: Debian", "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
            "sourceInfo": f"built from the Debian source package {source} {source_version}; its licences are in /usr/share/doc/{name}/copyright",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace(':', '%3A')}?arch={architecture}"}]}
    return part | ({"homepage": homepage} if homepage else {})


def file_part(file):
    """A library that no Debian package owns."""
    digest = hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest()
    return {"name": os.path.basename(file), "SPDXID": spdx_id("File-" + os.path.basename(file)), "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
            "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: sbom.py PROGRAM")
    program = sys.argv[1]
    version = output(os.path.abspath(program), "version").split()[1]
    digest = hashlib.sha256(pathlib.Path(program).read_bytes()).hexdigest()
    moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc) if "SOURCE_DATE_EPOCH" in os.environ else \
        datetime.datetime.now(datetime.timezone.utc)
    itself = {"name": "fleetplan", "SPDXID": "SPDXRef-Package-fleetplan", "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
              "primaryPackagePurpose": "APPLICATION", "licenseConcluded": "NOASSERTION", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
              "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
              "comment": "The embedded data of the catalogue keep the licences of their sources: hwdb/data/SOURCES.md."}
    files = libraries(program)
    owned = owners(files)
    found = debian_parts(sorted(set(owned.values()))) + [file_part(file) for file in files if file not in owned]
    parts = {part["SPDXID"]: part for part in found}
    relationships = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": itself["SPDXID"]}]
    relationships += [{"spdxElementId": itself["SPDXID"], "relationshipType": "DYNAMIC_LINK", "relatedSpdxElement": identifier} for identifier in sorted(parts)]
    document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"fleetplan-{version}",
                "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digest + moment.isoformat())}",
                "creationInfo": {"created": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": [f"Tool: fleetplan-sbom-{version}"]},
                "packages": [itself, *(parts[identifier] for identifier in sorted(parts))], "relationships": relationships}
    print(json.dumps(document, indent=2))


main()
