"""A fake Kubernetes API server with a Job controller and a node: enough to prove a driver's life cycle.

Faithful in what the driver rests on: resource versions, watches that end with 410 Gone, conflicts, label
selectors, rights, Jobs and pods that pass through their states, attachments whose end closes a box's stdin,
logs, deletion with and without propagation. A container is a process of this machine, so it proves no
isolation whatever.
"""

from tests.contract.fake_kubernetes.server import FakeCluster, serving

__all__ = ["FakeCluster", "serving"]
