"""Held-out quality of survival trees and other models on many public tables: see README.md."""
