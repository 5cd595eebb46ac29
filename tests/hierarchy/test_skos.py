"""SKOS files in three notations give one hierarchy; hostile and broken ones are answered by line and remedy."""

from __future__ import annotations

import pytest

from rubricate.errors import InvalidFile
from rubricate.hierarchy import Hierarchy, read_taxonomy
from rubricate.hierarchy.skos import Literal, skos_links, statements

TURTLE = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@base <http://example.org/stw/> .
PREFIX ex: <http://example.org/stw/>
# a comment
<grain> a skos:Concept ; skos:prefLabel "Getreide"@de, "Grain"@en ;
  skos:narrower ex:corn, ex:wheat ;;
  skos:definition '''a plant; "dry"
over lines . '''@en .
ex:corn skos:broader ex:grain ; skos:prefLabel "Corn \\u00e9"@en-GB ; skos:notation 7 .
ex:wheat skos:broader <grain> ; skos:prefLabel "Weizen"@de .
ex:ship a skos:Concept ; skos:prefLabel "Ship"^^<http://www.w3.org/2001/XMLSchema#string> .
"""
SKOS = "http://www.w3.org/2004/02/skos/core#"
TRIPLES = f"""<http://e/grain> <{SKOS}narrower> <http://e/corn> .
<http://e/corn> <{SKOS}broader> <http://e/grain> .
<http://e/corn> <{SKOS}prefLabel> "Corn"@en .
"""
XML = """<?xml version="1.0" encoding="utf-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#"
  xml:base="http://example.org/stw/">
  <skos:Concept rdf:about="grain">
    <skos:prefLabel xml:lang="de">Getreide</skos:prefLabel>
    <skos:prefLabel xml:lang="en">Grain</skos:prefLabel>
    <skos:narrower>
      <skos:Concept rdf:about="corn"><skos:prefLabel>Corn &amp; maize</skos:prefLabel></skos:Concept>
    </skos:narrower>
  </skos:Concept>
  <rdf:Description rdf:about="wheat">
    <rdf:type rdf:resource="http://www.w3.org/2004/02/skos/core#Concept"/>
    <skos:broader rdf:resource="grain"/>
    <skos:prefLabel/>
  </rdf:Description>
  <skos:Concept rdf:ID="ship"/>
</rdf:RDF>
"""


def read(tmp_path, name: str, text: str, **options):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_taxonomy(path, **options)


@pytest.mark.slow
def test_turtle(tmp_path) -> None:
    edges = read(tmp_path, "stw.ttl", TURTLE)
    assert set(edges) == {("(root)", "Grain"), ("(root)", "Ship"), ("Grain", "Corn é"), ("Grain", "Weizen")}
    assert Hierarchy.from_edges(edges).virtual_root


def test_n_triples_recognised_by_content(tmp_path) -> None:
    assert read(tmp_path, "thesaurus.txt", TRIPLES) == (("grain", "Corn"),)
    assert read(tmp_path, "thesaurus.nt", TRIPLES) == (("grain", "Corn"),)


def test_rdf_xml(tmp_path) -> None:
    edges = read(tmp_path, "stw.rdf", XML)
    assert set(edges) == {("(root)", "Grain"), ("(root)", "ship"), ("Grain", "Corn & maize"), ("Grain", "wheat")}
    assert read(tmp_path, "stw.xml", XML) == edges


@pytest.mark.parametrize(
    "statement, name",
    [
        ("ex:a skos:narrower ex:b ; skos:notation 5.", "b"),
        ("ex:a skos:narrower ex:b ; skos:notation 1.5 , -2.e3, .5, 4e1 .", "b"),
        ("ex:a skos:narrower <http://e/\\u00e9\\U000000e9> .", "éé"),
        ("ex:a skos:narrower ex:b\\,c\\.d .", "b,c.d"),
    ],
)
def test_numbers_and_escapes_of_turtle(tmp_path, statement: str, name: str) -> None:
    prefixes = f"@prefix skos: <{SKOS}> .\n@prefix ex: <http://e/> .\n"
    assert read(tmp_path, "a.ttl", f"{prefixes}{statement}\nex:z skos:broader ex:a .") == (("a", name), ("a", "z"))


@pytest.mark.parametrize(
    "part",
    [
        '<skos:Concept rdf:nodeID="g"><skos:prefLabel>Grain</skos:prefLabel></skos:Concept>'
        '<skos:Concept rdf:about="corn"><skos:broader rdf:nodeID="g"/></skos:Concept>',
        '<skos:OrderedCollection><skos:memberList rdf:parseType="Collection"><rdf:Description rdf:about="x"/>'
        '<skos:Concept rdf:about="Grain"/><skos:Concept rdf:about="corn"><skos:broader rdf:resource="Grain"/>'
        "</skos:Concept></skos:memberList></skos:OrderedCollection>",
        '<skos:Concept rdf:about="g"><skos:narrower rdf:parseType="Resource"><skos:prefLabel>corn</skos:prefLabel>'
        "</skos:narrower><skos:prefLabel>Grain</skos:prefLabel></skos:Concept>",
        '<skos:Concept rdf:about="g"><skos:prefLabel rdf:parseType="Literal">Gr<b>ai</b>n</skos:prefLabel>'
        '<skos:narrower rdf:resource="corn"/></skos:Concept>',
    ],
    ids=["names of blank nodes", "collection", "resource", "markup"],
)
def test_rarer_forms_of_rdf_xml(tmp_path, part: str) -> None:
    head, _, _ = XML.partition("  <skos:Concept")
    assert read(tmp_path, "a.rdf", f"{head}{part}</rdf:RDF>") == (("Grain", "corn"),)


def test_the_label_asked_for_and_labels_that_are_shared(tmp_path) -> None:
    path = tmp_path / "x.ttl"
    assert (6, "Getreide", "Weizen") in skos_links(path, TURTLE, language="de")
    twins = TRIPLES + f'<http://e/grain> <{SKOS}prefLabel> "Corn"@en .'
    assert [link[1:] for link in skos_links(path, twins)][-1] == ("Corn (grain)", "Corn (corn)")
    same = twins.replace("http://e/grain", "http://f/corn")
    assert [link[1:] for link in skos_links(path, same)][-1] == ("http://f/corn", "http://e/corn")


def test_statements_know_their_lines_and_languages(tmp_path) -> None:
    found = list(statements(tmp_path / "x", TURTLE))
    assert found[0].line == 5
    assert [one.object for one in found if one.predicate.endswith("notation")] == [Literal("7")]
    assert [one.object.language for one in found if one.predicate.endswith("prefLabel")][:3] == ["de", "en", "en-gb"]


@pytest.mark.parametrize(
    "name, text, message",
    [
        ("a.ttl", TURTLE + "ex:a skos:broader [ a skos:Concept ] .", "line 12: '\\[' where an IRI"),
        ("a.ttl", "ex:a ex:b ex:c .", "line 1: the prefix 'ex:' is not declared"),
        ("a.ttl", "@prefix ex: .", "line 1: @prefix without its IRI"),
        ("a.ttl", '<a> <b> "never ends .', "line 1: not Turtle at '\"never"),
        ("a.ttl", "<a> <b> <c>", "the end of the file"),
        ("a.ttl", "<a> <b> <c> .", "no skos:Concept"),
        ("a.nt", f"<a> <{SKOS}broader> <b> .\n<b> <{SKOS}broader> <a> .", "below itself: . → . → ."),
        ("a.rdf", XML.replace("</rdf:RDF>", ""), "not XML"),
        ("a.rdf", '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "b">]><r>&a;</r>', "line 1: a document type"),
        ("a.rdf", '<?xml version="1.0"?><!DOCTYPE r SYSTEM "file:///etc/hostname"><r/>', "a document type"),
    ],
)
def test_what_is_no_thesaurus(tmp_path, name: str, text: str, message: str) -> None:
    with pytest.raises(InvalidFile, match=message):
        read(tmp_path, name, text)


def test_a_billion_laughs_are_refused_at_once(tmp_path) -> None:
    levels = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    text = f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY l0 "ha">{levels}]><r>&l9;</r>'
    with pytest.raises(InvalidFile, match="entities are not expanded"):
        read(tmp_path, "laughs.rdf", text)


@pytest.mark.slow
def test_twenty_thousand_concepts(tmp_path) -> None:
    lines = "".join(f"<http://e/{i}> <{SKOS}broader> <http://e/{i // 3}> .\n" for i in range(1, 20_000))
    assert len(read(tmp_path, "large.nt", lines)) == 19_999
