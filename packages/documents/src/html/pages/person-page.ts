import type { Person } from '../../people.ts'
import { type Membership, PERSON_KINDS, type PersonCounts, type PersonEntry, type PersonKind } from '../list-rows.ts'
import { html, joined, type Markup } from '../markup.ts'
import { addressOf } from '../site-paths.ts'
import { dueDate, filterFragment, nameOf } from './chips.ts'
import { breadcrumb, type PageLink } from './layout.ts'
import { counted, day, languageOf, time, titleOf } from './words.ts'

/** Entries of a kind that a person's page lists. */
export const ENTRIES_SHOWN = 500

const HEADINGS: Readonly<Record<PersonKind, string>> = {
  open: 'Open tasks',
  done: 'Done tasks',
  archived: 'Archived tasks',
  pages: 'Pages',
  posts: 'Posts',
  events: 'Events',
}

/** The words for counts of each kind. */
const WORDS: Readonly<Record<PersonKind, string>> = {
  open: 'open task',
  done: 'done task',
  archived: 'archived task',
  pages: 'page',
  posts: 'post',
  events: 'event',
}

/** What a person has to do with in one project. */
export function personInProject(
  person: Person,
  of: {
    readonly above: readonly PageLink[]
    readonly counts: PersonCounts
    readonly membership: Membership | undefined
    /** The first ones of a kind. */
    readonly entriesOf: (kind: PersonKind) => readonly PersonEntry[]
    /** Address of the person's page for all projects. */
    readonly everywhere: string
  },
): Markup {
  const sections = PERSON_KINDS.map((kind, index) => {
    const count = of.counts[index] ?? 0
    return count === 0 ? html`` : personSection(person, kind, count, of.entriesOf(kind))
  })
  return html`${breadcrumb(of.above, nameOf(person))}${heading(person)}
<p class="about">${membershipWords(of.membership)}${countWords(of.counts)}<a href="${of.everywhere}" data-t>in all projects</a></p></header>
${joined(sections)}`
}

function personSection(person: Person, kind: PersonKind, count: number, entries: readonly PersonEntry[]): Markup {
  const left = count - entries.length
  const list = kind === 'archived' ? 'archive.html' : 'tasks.html'
  const isTask = kind === 'open' || kind === 'done' || kind === 'archived'
  const all =
    isTask && html` <a class="more" href="../${list}${filterFragment('person', person.uid)}" data-t>in the list</a>`
  return html`<section><h2><span data-t>${HEADINGS[kind]}</span> <small data-t>${count.toLocaleString('en')}</small>${all}</h2>
<ul class="list">
${joined(entries.map((entry) => personEntry(entry)))}</ul>
${left > 0 && html`<p data-t>${left.toLocaleString('en')} more are not shown.</p>`}</section>
`
}

function personEntry({ kind, title, address, date }: PersonEntry): Markup {
  const when = kind === 'open' ? date !== null && html` ${dueDate(date, true)}` : day(date)
  return html`<li><a class="clamped" href="../${address}" dir="auto">${titleOf(title)}</a>${when}</li>\n`
}

/** A project in which a person has to do with something. */
export interface PersonProject {
  readonly name: string | null
  /** Of the person's page in the project, relative to the site's folder. */
  readonly path: string
  readonly counts: PersonCounts
  readonly membership: Membership | undefined
}

/** What is known of a person besides their name. */
export interface PersonFacts {
  readonly displayName: string | null
  readonly email: string | null
  readonly description: string | null
}

/** A person's page for all projects. */
export function personPage(person: Person, facts: PersonFacts, projects: readonly PersonProject[]): Markup {
  const top = [
    { title: 'Projects', address: '../index.html', isOurs: true },
    { title: 'People', address: '../people.html', isOurs: true },
  ]
  const cards = projects.map(({ name, path, counts, membership }) => {
    const title = titleOf(name)
    return html`<li class="card"><h2 lang="${languageOf(title)}"><a class="clamped" href="../${addressOf(path)}" dir="auto">${title}</a></h2><p class="about">${membershipWords(membership)}${countWords(counts)}</p></li>\n`
  })
  return html`${breadcrumb(top, nameOf(person))}${heading(person)}
<p class="about">${facts.displayName && html`<span dir="auto">${facts.displayName}</span>`}${facts.email && html`<span dir="auto">${facts.email}</span>`}<span data-t>id <code>${person.uid}</code></span></p></header>
${facts.description && html`<p class="description" dir="auto">${facts.description}</p>`}
${projects.length === 0 ? html`<p class="empty" data-t>No task, page, post or event of this backup names this person as its member, creator or participant.</p>` : html`<ul class="cards">\n${joined(cards)}</ul>`}`
}

function heading(person: Person): Markup {
  const name = nameOf(person)
  return html`<header><h1 class="clamped" dir="auto" lang="${languageOf(name)}">${name}</h1>`
}

/** The role in a project, and since when. */
function membershipWords(membership: Membership | undefined): Markup {
  const { role = null, joinedAt = null } = membership ?? {}
  return html`${role && html`<span data-t>${role}</span>`}${joinedAt && html`<span data-t>joined ${time(joinedAt)}</span>`}`
}

/** The counts that are not 0, in words. */
export function countWords(counts: PersonCounts): Markup {
  const words = PERSON_KINDS.flatMap((kind, index) => {
    const count = counts[index] ?? 0
    return count === 0 ? [] : [html`<span data-t>${counted(count, WORDS[kind])}</span>`]
  })
  return joined(words)
}
