"""Play cards at random, by rules, by Monte Carlo, or deceptively."""
