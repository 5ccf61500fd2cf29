"""Programs that measure and fit; none of them is part of the product."""
