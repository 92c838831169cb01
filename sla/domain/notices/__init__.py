"""Who is told of what, when, and how often is it tried?"""
