"""What does the contract cost, and what comes back? The part of a form that says it."""

from django import forms

from sla.contracts.services import Price
from sla.domain.price_text import PriceError, parse_fee, parse_tiers


class PriceForm(forms.Form):
    """Fee of a period and credits, as typed; both may be left empty."""

    fee = forms.CharField(max_length=40, required=False)
    credits = forms.CharField(max_length=300, required=False)

    def clean_fee(self) -> tuple[int | None, str]:
        """Cents and currency."""
        try:
            return parse_fee(self.cleaned_data["fee"])
        except PriceError as error:
            raise forms.ValidationError(str(error)) from error

    def clean_credits(self) -> tuple[tuple[int, int], ...]:
        """Bound in millionths and per cent, the mildest first."""
        try:
            return parse_tiers(self.cleaned_data["credits"])
        except PriceError as error:
            raise forms.ValidationError(str(error)) from error

    def price(self) -> Price:
        """Of a valid form."""
        cents, currency = self.cleaned_data["fee"]
        return Price(cents, currency, self.cleaned_data["credits"])
