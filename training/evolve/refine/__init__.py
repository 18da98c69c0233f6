"""Refinement: what would each other call have been worth, and which readable rule earns it?"""
