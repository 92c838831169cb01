"""What does the agent cost, beside its peers on the same machine at the same time?"""
