"""What does an SLA statement say? Pure: sums, terms and windows in, a document of integers and words out."""
