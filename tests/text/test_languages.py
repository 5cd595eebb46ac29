"""Languages: every stemmer, every stop list, and detection of sentences that the samples do not have."""

from __future__ import annotations

import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st

import rubricate as rb
from rubricate.errors import UnknownName
from rubricate.text.languages import LANGUAGES, language_named
from rubricate.text.stop_lists import stop_lists, stop_words

SENTENCES = {
    "en": ["Oil prices fell sharply on Monday", "The committee will meet again in autumn to discuss the budget"],
    "de": ["Meine Karte ist noch nicht angekommen", "Der Ölpreis ist am Montag stark gefallen"],
    "fr": ["Le prix du pétrole a fortement baissé lundi", "La commission se réunira de nouveau en automne"],
    "es": ["Mi tarjeta todavía no ha llegado", "El precio del petróleo cayó con fuerza el lunes"],
    "it": ["La mia carta non è ancora arrivata", "Il prezzo del petrolio è sceso bruscamente lunedì"],
    "pt": ["O meu cartão ainda não chegou", "O preço do petróleo caiu fortemente na segunda-feira"],
    "nl": ["Mijn kaart is nog niet aangekomen", "De olieprijs is maandag sterk gedaald"],
    "sv": ["Mitt kort har inte kommit än", "Utskottet sammanträder igen i höst för att diskutera budgeten"],
    "da": ["Hvornår åbner den nye butik i gågaden? Det ved jeg desværre ikke endnu."],
    "no": ["Når åpner den nye butikken i gågata? Det vet jeg dessverre ikke ennå."],
    "fi": ["Korttini ei ole vielä saapunut", "Öljyn hinta laski jyrkästi maanantaina"],
    "ru": ["Моя карта ещё не пришла", "Комитет снова соберётся осенью, чтобы обсудить бюджет"],
    "uk": ["Сьогодні ввечері ми підемо до театру, якщо встигнемо купити квитки."],
    "sr": ["Вечерас идемо у позориште, ако стигнемо да купимо улазнице."],
    "pl": ["Moja karta jeszcze nie dotarła", "Komisja zbierze się ponownie jesienią, aby omówić budżet"],
    "cs": ["Výbor se znovu sejde na podzim, aby projednal rozpočet"],
    "hu": ["A kártyám még nem érkezett meg", "A bizottság ősszel ismét összeül"],
    "ro": ["Cardul meu nu a sosit încă", "Comisia se va reuni din nou la toamnă pentru a discuta bugetul"],
    "tr": ["Kartım henüz gelmedi", "Komite bütçeyi görüşmek üzere sonbaharda yeniden toplanacak"],
    "ca": ["El comitè es tornarà a reunir a la tardor per debatre el pressupost"],
    "id": ["Kartu saya belum tiba", "Komite akan bertemu lagi untuk membahas anggaran"],
    "et": ["Minu kaart ei ole veel saabunud", "Komisjon koguneb sügisel uuesti, et arutada eelarvet"],
    "lt": ["Mano kortelė dar neatėjo", "Komitetas rudenį vėl susirinks aptarti biudžeto"],
    "eu": ["Nire txartela ez da oraindik iritsi", "Batzordea udazkenean bilduko da berriro"],
    "ga": ["Níor tháinig mo chárta fós", "Tiocfaidh an coiste le chéile arís san fhómhar chun an buiséad a phlé"],
    "eo": ["Mia karto ankoraŭ ne alvenis"],
    "st": ["Karete ya ka ha e so fihle", "Komiti e tla kopana hape ka hwetla ho tshohla tekanyetso"],
    "ar": ["لم تصل بطاقتي بعد", "ستجتمع اللجنة مرة أخرى في الخريف لمناقشة الميزانية"],
    "fa": ["کارت من هنوز نرسیده است", "کمیته در پاییز دوباره تشکیل جلسه می‌دهد"],
    "hi": ["आज शाम हम सब बाज़ार जाएँगे और वहाँ से फल खरीदेंगे, फिर घर लौटेंगे।"],
    "ne": ["आज साँझ हामी सबै बजार जान्छौं र त्यहाँबाट फलफूल किनेर घर फर्कन्छौं।"],
    "ja": ["カードがまだ届いていません", "委員会は秋に再び予算を審議する"],
    "zh": ["我的卡还没到", "委员会将在秋季再次开会讨论预算"],
    "ko": ["카드가 아직 도착하지 않았습니다"],
    "th": ["บัตรของฉันยังมาไม่ถึง"],
    "el": ["Η κάρτα μου δεν έχει φτάσει ακόμα"],
    "he": ["הכרטיס שלי עוד לא הגיע"],
    "yi": ["די קאַרטע איז נאָך נישט אָנגעקומען, זאָגט זײַן ברודער"],
    "ta": ["எனது அட்டை இன்னும் வரவில்லை"],
    "hy": ["Իմ քարտը դեռ չի հասել"],
}
TERMS = {
    "de": ("Die Kartoffeln und das Getreide sind teurer geworden", ["kartoffeln", "getreide", "teurer"]),
    "fr": ("Les prix des céréales ont augmenté", ["prix", "céréales", "augmenté"]),
    "es": ("Los precios de los cereales han subido", ["precios", "cereales", "subido"]),
    "it": ("I prezzi dei cereali sono aumentati", ["prezzi", "cereali", "aumentati"]),
    "pt": ("Os preços dos cereais subiram", ["preços", "cereais", "subiram"]),
    "nl": ("De prijzen van het graan zijn gestegen", ["prijzen", "graan", "gestegen"]),
    "sv": ("Priserna på spannmål har stigit", ["priserna", "spannmål", "stigit"]),
    "ru": ("Цены на зерно выросли", ["цены", "зерно", "выросли"]),
    "fi": ("Viljan hinnat ovat nousseet", ["viljan", "hinnat", "nousseet"]),
    "en": ("The prices of grains have risen", ["prices", "grains", "risen"]),
}
"""A sentence of each language with a stop list, and its words that are not in the list."""


@pytest.mark.parametrize("code", SENTENCES)
def test_sentences_are_detected(code):
    for sentence in SENTENCES[code]:
        detected = rb.text.detect_language(sentence)
        assert detected.code == code, sentence
        assert detected.chance > 0.5


def test_every_language_has_a_sentence_here():
    assert set(SENTENCES) == set(LANGUAGES)


def test_few_letters_are_not_sure():
    for text in ("", "42", "...", "ok", "😀", "a", "wheat corn"):
        assert not rb.text.detect_language(text).sure


@given(st.text(max_size=80))
def test_any_text_has_an_answer(text):
    detected = rb.text.detect_language(text)
    assert (detected.code is None) == (detected.chance == 0)
    assert detected.code is None or detected.code in LANGUAGES


def test_every_stemmer_of_the_package_belongs_to_a_language_and_works():
    used = {each.stem for each in LANGUAGES.values()}
    assert set(Stemmer.algorithms()) - used - {"dutch_porter"} == {"english"}  # which older versions do not have
    for name in Stemmer.algorithms():
        assert rb.text.Analyzer(stem=name, stop=None).terms(["wheat"]).words


@pytest.mark.parametrize("code", TERMS)
def test_words_are_stopped_and_stemmed_in_their_language(code):
    text, words = TERMS[code]
    stem = Stemmer.Stemmer({"porter": "porter"}.get(LANGUAGES[code].stem, LANGUAGES[code].stem)).stemWord
    terms = rb.text.Analyzer(**language_named(code).analysis()).terms([text])
    assert [terms.words[i] for i in terms.ids] == [stem(word) for word in words]


@pytest.mark.parametrize("name", stop_lists())
def test_stop_lists_are_words_in_lower_case_without_repetition(name):
    words = stop_words(name)
    assert len(words) >= 150
    assert all(word == word.strip().lower() and word for word in words)


def test_texts_without_spaces_become_character_ngrams():
    analyzer = rb.text.Analyzer(**language_named("zh").analysis())
    terms = analyzer.terms(["委员会"])
    assert {"委", "员会", "委员"} <= {word.strip() for word in terms.words}
    assert rb.text.Analyzer(**language_named("Thai").analysis()).terms(["บัตรของฉัน"]).words


def test_unknown_languages_are_answered_with_the_nearest():
    with pytest.raises(UnknownName, match="Did you mean 'German'"):
        language_named("germn")


def test_a_corpus_has_a_language_several_or_none():
    german, english = SENTENCES["de"] * 6, SENTENCES["en"] * 6
    assert (rb.text.detect_corpus(german).code, rb.text.detect_corpus(german).sure) == ("de", True)
    mixed = rb.text.detect_corpus([*german, *english])
    assert (mixed.code, mixed.mixed, set(mixed.shares)) == (None, True, {"de", "en"})
    assert "German" in mixed.describe()
    assert rb.text.detect_corpus([]).code is None
    assert rb.text.detect_corpus(["", "42"]).describe() == "language not known: there is too little text"
    assert rb.text.detect_corpus([*german * 20, *english]).code == "de"
