import type { StartScript } from '../assets.ts'
import { html, joined, Markup } from '../markup.ts'
import { address, HTML_FOLDER, rootFrom } from '../site-paths.ts'
import { titleOf } from './words.ts'

/** The layout around the main part of a page. */
export interface PageLayout {
  /** Of the file, relative to `data/`. */
  readonly path: string
  readonly title: string
  /** The project that it belongs to: its folder, and its name. */
  readonly project: { readonly folder: string; readonly name: string } | null
  readonly sidebar: Markup | null
  /** Whether the main part takes the whole width, with the sidebar above it: for boards and tables. */
  readonly isBroad?: boolean
  readonly start: StartScript
}

/**
 * Nothing may be loaded but the style beside the pages and the scripts that the one script in the page loads, which is known
 * by its hash: `'self'` means nothing on a disk in some browsers, and anything on it in others.
 */
function policy({ hash }: StartScript): string {
  return [
    "default-src 'none'",
    `script-src 'sha256-${hash}' 'strict-dynamic'`,
    "style-src 'self' file:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

/** Everything before the main part. */
export function opening({ path, title, project, sidebar, isBroad = false, start }: PageLayout): Markup {
  const root = rootFrom(path)
  const home = address(path, `${HTML_FOLDER}/index.html`)
  return html`<!doctype html>
<html lang="en" data-root="${root}" data-project="${project?.folder ?? ''}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(start)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${project && project.name !== title ? `${title} · ${project.name}` : title}</title>
<link rel="stylesheet" href="${root}assets/tokens.css">
<link rel="stylesheet" href="${root}assets/base.css">
<link rel="stylesheet" href="${root}assets/site.css">
<link rel="stylesheet" href="${root}assets/workspace.css">
<script>${new Markup(start.text)}</script>
</head>
<body>
<a class="skip" href="#main" data-t>Skip to the text</a>
<header class="bar">
<a class="home" href="${home}" data-t>Projects</a>
<div class="search" role="search"></div>
<div class="tools">${sidebar && !isBroad && html`<button type="button" class="to-side" popovertarget="side" data-t>Contents</button>`}</div>
</header>
<div class="layout${isBroad ? ' broad' : sidebar ? ' with-side' : ''}">
${sidebar}
<main id="main" tabindex="-1">
`
}

/** Everything after it. */
export function closing(): Markup {
  return html`
</main>
</div>
<footer class="foot" data-t>A copy that works without the service.</footer>
</body>
</html>
`
}

/** A link to another page of the site. */
export interface PageLink {
  readonly title: string | null
  readonly address: string
  /** Whether the title is a word of the site, not of a record. */
  readonly isOurs?: boolean
}

/** Marks an element whose text and attributes a script translates, see `assets/language.js`. */
const TRANSLATED = html` data-t`

/** The links from the list of all projects down to the page. `isOurs`: whether its title is a word of the site. */
export function breadcrumb(above: readonly PageLink[], title: string, isOurs = false): Markup {
  const links = above.map(
    (way) => html`<li><a href="${way.address}"${way.isOurs === true && TRANSLATED}>${titleOf(way.title)}</a></li>`,
  )
  return html`<nav class="crumbs" aria-label="Breadcrumb" data-t><ol>${joined(links)}<li aria-current="page"${isOurs && TRANSLATED}>${title}</li></ol></nav>
`
}
