"""Logs that people have already (semantics §8): read, judged, and told what better evidence would need."""
