"""The problems of the training benchmark: each module holds a scalar environment, its batched twin and a tuned rule."""
