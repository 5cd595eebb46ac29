"""Files of clients: limited, stored under names of ours, parsed in processes that can be killed."""
