"""What a trial allows, declared beforehand: protocols, arms and personas.

Reading order: protocol, library, persona.
"""
