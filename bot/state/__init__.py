"""What must outlive the process, in SQL tables, and the few questions asked of them."""
