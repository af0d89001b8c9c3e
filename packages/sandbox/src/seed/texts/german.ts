import { type Language, phrases } from './language.ts'

export const german: Language = {
  code: 'de',
  people: [
    ['Jürgen Groß', 'juergen'],
    ['Änne Müller-Lüdenscheidt', 'aenne'],
    ['Björn Weiß', 'bjoern'],
    ['Katharina von der Heide', 'kati'],
  ],
  projects: ['Auftragsabwicklung', 'Qualität & Prüfmittel', 'Umzug Böblingen'],
  entries: ['Offen', 'In Arbeit', 'Zur Prüfung', 'Erledigt'],
  doing: phrases(`
    {} prüfen | {} überarbeiten | Angebot für {} einholen | {} abnehmen lassen | Rückfrage zu {} klären
    {} beim Kunden vorstellen | Fehler bei {} beheben
  `),
  things: phrases(`
    Lieferantenbewertung | Datenschutzfolgenabschätzung | Schlüsselübergabe | Größentabelle | Prüfprotokoll
    Rechnungsvorlage | Stückliste | Wartungsplan | Schnittstelle zur Buchhaltung | Änderungsantrag 17/b
  `),
  pages: phrases(`
    Übersicht | Besprechungsnotizen | Abläufe & Zuständigkeiten | Häufige Fragen | Einkaufsrichtlinie
    Prüfanweisung | Öffnungszeiten über die Feiertage | Glossar
  `),
  posts: phrases(`
    Sommerfest: wer bringt was mit? | Neue Regelung für Dienstreisen | Ergebnis der Umfrage
    Störung am Dienstag – was war los? | Vorschlag: Besprechungen höchstens 30 Minuten
  `),
  events: ['Jour fixe', 'Abnahme', 'Betriebsversammlung', 'Schulung Arbeitssicherheit', 'Inventur'],
  places: ['Besprechungsraum Köln', 'Werk II, Tor 3', 'Online', 'Kantine'],
  headings: ['Ausgangslage', 'Ziel', 'Vorgehen', 'Offene Punkte', 'Kosten', 'Ergebnis'],
  sentences: [
    'Die Prüfung ergab keine Beanstandungen, nur zwei Maße müssen nachgetragen werden.',
    'Bitte bis **spätestens Donnerstag** Rückmeldung geben, sonst gilt der Vorschlag als angenommen.',
    'Der Großteil der Aufwände entfällt auf die Übernahme der Altdaten.',
    'Wir bleiben beim bisherigen Lieferanten, solange die Qualität stimmt.',
    'Die Kosten liegen bei 12.400,50 € und damit leicht über dem Plan.',
    'Für Rückfragen steht die Fachabteilung zur Verfügung.',
    'Das Maß „Ø 12,5 mm“ ist in der Zeichnung falsch angegeben.',
  ],
  comments: phrases(`
    Erledigt. | Passt so, danke! | Das müssen wir noch einmal besprechen. | Anbei die aktuelle Fassung.
    Schöne Grüße aus dem Werk 🙂
  `),
  see: ['Siehe {}.', 'Hintergrund: {}.', 'Die Einzelheiten stehen in {}.'],
}
