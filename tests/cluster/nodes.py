"""Real OpenSearch nodes on this machine: their jars from Maven Central (pom.xml), each node a JVM
of its own.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

from filelock import FileLock

from tests.ports import free_port

HERE = Path(__file__).parent
# Or 3.2.0, which needs Java 21 as `java`. The k-NN plugin of 3.5.0 does not start without the gRPC
# module of the full distribution, which Maven Central lacks.
VERSION = os.environ.get("GEAR_TEST_OPENSEARCH", "2.19.1")
TARGET = HERE / "target" / VERSION  # outside of version control; `make clean` removes it
STARTED_IN_S = 90.0
CLUSTER = "gear-test"
HEAP = "384m"


class Unavailable(Exception):
    """Why no node can be started here."""


def jars() -> Path:
    """The folder with a node's jars; fetched once."""
    for program in ("java", "mvn"):
        if shutil.which(program) is None:
            raise Unavailable(
                f"{program} is not installed: OpenSearch 2 needs Java 17, 3 needs Java 21; its jars"
                " come by Maven. Or set GEAR_OPENSEARCH_URL to a cluster for tests"
            )
    TARGET.mkdir(parents=True, exist_ok=True)
    done = TARGET / "done"
    with FileLock(TARGET / "lock"):
        if not done.exists():
            command = ["mvn", "-q", "-B", "-f", str(HERE / "pom.xml"), "package"]
            command += [f"-Dfolder={TARGET}", f"-Dopensearch={VERSION}"]
            made = subprocess.run(command, capture_output=True, text=True, timeout=300)
            if made.returncode:
                raise Unavailable(f"Maven could not bring OpenSearch: {made.stdout[-300:]}")
            done.touch()
    return TARGET


class Node:
    """One node, alone in its cluster or one of several."""

    def __init__(
        self, folder: Path, http: int, transport: int, others: tuple[int, ...] = ()
    ) -> None:
        """Start nothing yet. `others` are the transport ports of all nodes of the cluster, the
        first of which makes it; none: the node is alone.
        """
        self.url = f"http://127.0.0.1:{http}"
        self._folder, self._http, self._transport, self._others = folder, http, transport, others
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start its JVM; returns at once."""
        config = self._folder / "config"
        config.mkdir(parents=True, exist_ok=True)
        (config / "opensearch.yml").write_text("\n".join(self._settings()), encoding="utf-8")
        lib = jars()
        quick = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"]
        command = [
            "java",
            f"-Xms{HEAP}",
            f"-Xmx{HEAP}",
            *quick,
            "-cp",
            f"{lib}/lib/*:{lib}/knn/*",
        ]
        command += ["org.codelibs.opensearch.runner.OpenSearchRunner"]
        command += ["-basePath", str(self._folder), "-confPath", str(config), "-numOfNode", "1"]
        command += ["-baseHttpPort", str(self._http - 1), "-clusterName", CLUSTER]
        command += ["-pluginTypes", "org.opensearch.knn.plugin.KNNPlugin"]
        with (self._folder / "out").open("ab") as out:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
            )

    def wait(self, health: str = "wait_for_status=yellow") -> None:
        """Until it answers, and its cluster is in such health. Raises Unavailable where it ended,
        with the last it said.
        """
        assert self._process is not None
        until = time.monotonic() + STARTED_IN_S
        while time.monotonic() < until:
            if self._process.poll() is not None:
                said = (self._folder / "out").read_text("utf-8", errors="replace")
                raise Unavailable(f"OpenSearch ended while it started: {said[-500:]}")
            with suppress(OSError):
                asked = f"{self.url}/_cluster/health?{health}&timeout=5s"
                with urllib.request.urlopen(asked, timeout=10) as answer:
                    if answer.status == 200:
                        return
            time.sleep(0.2)
        raise Unavailable(f"OpenSearch did not answer within {STARTED_IN_S:.0f} s")

    def kill(self) -> None:
        """End it at once, as a crash does."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.kill()
            self._process.wait(30)
            self._process = None

    def _settings(self) -> list[str]:
        if self._others:
            addresses = ", ".join(f'"127.0.0.1:{port}"' for port in self._others)
            forming = [
                f"discovery.seed_hosts: [{addresses}]",
                f'cluster.initial_cluster_manager_nodes: ["127.0.0.1:{self._others[0]}"]',
            ]
        else:
            forming = ["discovery.type: single-node"]
        return [
            "network.host: 127.0.0.1",
            f"transport.port: {self._transport}",
            "node.store.allow_mmap: false",
            # This heap is cleaned late: what is garbage would count as use and refuse requests.
            "indices.breaker.total.use_real_memory: false",
            "cluster.routing.allocation.disk.threshold_enabled: false",
            *forming,
            "",
        ]


def free_ports(number: int) -> list[tuple[int, int]]:
    """So many pairs of an HTTP port, which the runner wants below 9300, and a transport port."""
    http = [port for port in range(9201, 9300) if _free(port)][:number]
    if len(http) < number:
        raise Unavailable("all ports from 9201 to 9299 are taken")
    return [(one, free_port()) for one in http]


def alone(folder: Path) -> Node:
    """A node of its own, which answers. Raises Unavailable."""
    with _ports():
        node = Node(folder, *free_ports(1)[0])
        _started([node], "wait_for_status=yellow")
    return node


def together(folder: Path, number: int) -> list[Node]:
    """So many nodes, each a JVM of its own, that have found each other. Raises Unavailable."""
    with _ports():
        ports = free_ports(number)
        others = tuple(transport for _, transport in ports)
        made = [
            Node(folder / f"n{place}", *pair, others) for place, pair in enumerate(ports, start=1)
        ]
        _started(made, f"wait_for_nodes={number}&wait_for_status=yellow")
    return made


def _ports() -> FileLock:
    """Held until new nodes have their ports: no others on this machine, of another checkout either,
    are given these meanwhile.
    """
    return FileLock(Path(tempfile.gettempdir()) / "gear-test-ports.lock")


def _started(made: list[Node], health: str) -> None:
    try:
        for node in made:
            node.start()
        for node in made:
            node.wait(health)
    except BaseException:
        for node in made:
            node.kill()
        raise


def _free(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) != 0
