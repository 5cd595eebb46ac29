"""Public names of `rubricate.rules`; `__init__.py` reads this list."""

from rubricate.training.rule_models import rules_of as rules_of
from rubricate.training.rule_models import run_rules as run_rules

from .form import RuleBase as RuleBase
from .parser import parse_rules as parse_rules
from .parser import read_rules as read_rules
from .printer import format_condition as format_condition
from .printer import format_rule as format_rule
from .printer import format_rules as format_rules
from .printer import write_rules as write_rules
