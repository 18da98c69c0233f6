"""What all servers share: who may ask, what a request holds, when it must end, and one thought at a time."""
