"""The countries of the world in English: a town is no answer to "in which country", and of "Hinds
County, Mississippi" it is the last part that is a state.
"""

from __future__ import annotations

from gear_app.english.words import words

_NAMES = """
Afghanistan, Albania, Algeria, Andorra, Angola, Antigua and Barbuda, Argentina, Armenia,
Australia, Austria, Azerbaijan, Bahamas, Bahrain, Bangladesh, Barbados, Belarus, Belgium, Belize,
Benin, Bhutan, Bolivia, Bosnia and Herzegovina, Botswana, Brazil, Britain, Brunei, Bulgaria,
Burkina Faso, Burma, Burundi, Cambodia, Cameroon, Canada, Cape Verde, Central African Republic,
Chad, Chile, China, Colombia, Comoros, Congo, Costa Rica, Croatia, Cuba, Cyprus, Czech Republic,
Czechia, Czechoslovakia, Denmark, Djibouti, Dominica, Dominican Republic, East Germany, East
Timor, Ecuador, Egypt, El Salvador, England, Equatorial Guinea, Eritrea, Estonia, Eswatini,
Ethiopia, Fiji, Finland, France, Gabon, Gambia, Georgia, Germany, Ghana, Great Britain, Greece,
Grenada, Guatemala, Guinea, Guinea-Bissau, Guyana, Haiti, Honduras, Hungary, Iceland, India,
Indonesia, Iran, Iraq, Ireland, Israel, Italy, Ivory Coast, Jamaica, Japan, Jordan, Kazakhstan,
Kenya, Kiribati, Kosovo, Kuwait, Kyrgyzstan, Laos, Latvia, Lebanon, Lesotho, Liberia, Libya,
Liechtenstein, Lithuania, Luxembourg, Madagascar, Malawi, Malaysia, Maldives, Mali, Malta,
Marshall Islands, Mauritania, Mauritius, Mexico, Micronesia, Moldova, Monaco, Mongolia,
Montenegro, Morocco, Mozambique, Myanmar, Namibia, Nauru, Nepal, Netherlands, New Zealand,
Nicaragua, Niger, Nigeria, North Korea, North Macedonia, Northern Ireland, Norway, Oman, Ottoman
Empire, Pakistan, Palau, Palestine, Panama, Papua New Guinea, Paraguay, People's Republic of
China, Peru, Philippines, Poland, Portugal, Prussia, Qatar, Republic of Ireland, Republic of the
Congo, Romania, Russia, Russian Empire, Rwanda, Saint Lucia, Samoa, San Marino, Saudi Arabia,
Scotland, Senegal, Serbia, Seychelles, Sierra Leone, Singapore, Slovakia, Slovenia, Solomon
Islands, Somalia, South Africa, South Korea, South Sudan, Soviet Union, Spain, Sri Lanka, Sudan,
Suriname, Sweden, Switzerland, Syria, Taiwan, Tajikistan, Tanzania, Thailand, Togo, Tonga,
Trinidad and Tobago, Tunisia, Turkey, Turkmenistan, Tuvalu, Uganda, Ukraine, United Arab Emirates,
United Kingdom, United States, United States of America, Uruguay, UK, US, USA, Uzbekistan,
Vanuatu, Vatican City, Venezuela, Vietnam, Wales, West Germany, Yemen, Yugoslavia, Zaire, Zambia,
Zimbabwe
"""


def _spelled(name: str) -> str:
    return " ".join(word.text for word in words(name))


_COUNTRIES = frozenset(map(_spelled, _NAMES.replace("\n", " ").split(",")))


def is_country(name: str) -> bool:
    """Whether a country, of today or of the last centuries, is called so."""
    return _spelled(name).removeprefix("the ") in _COUNTRIES


def asked_part(noun: str, place: str) -> str:
    """The part of a place's name that a noun asks for: of "Hinds County, Mississippi" the last one
    where it asks for a state, and where it asks for a country if that is one. Else the whole name.
    """
    last, asked = place.rpartition(", ")[2], noun.casefold().split()[-1:]
    state = asked in (["state"], ["province"]) and last[:1].isupper()
    return last if state or (asked == ["country"] and is_country(last)) else place
