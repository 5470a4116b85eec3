"""Graded pairs: whether the similarity of two sentences' vectors follows what people said of them.

The lessons' own way of reading pairs and of scoring them (`bertlab.paraphrase`), under the names that the
evaluation uses. The STS Benchmark (Cer et al. 2017) is such a file of pairs; none is shipped.
"""

from bertlab.paraphrase import baseline_similarities, model_similarities, read_pairs

__all__ = ["baseline_similarities", "model_similarities", "read_pairs"]
