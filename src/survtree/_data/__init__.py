"""Any frame, array or file as a Table, and the outcome as an EventTable."""
