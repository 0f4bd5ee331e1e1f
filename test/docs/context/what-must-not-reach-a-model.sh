printf 'The pipeline publishes with Authorization: Bearer %s%s.\n' 8f14e45fceea167a 5a36dedd4bea2543 >> docs/release-steps.md
