"""Write the book of a network, which has no rules to print: what its calls were made on."""
