import { defaultSchema, type Schema } from 'hast-util-sanitize'

/** Harmless elements that GitHub's schema, on which this one is based, leaves out. */
const ALSO_HARMLESS = ['abbr', 'address', 'bdi', 'bdo', 'caption', 'cite', 'col', 'colgroup', 'dfn']
const ALSO_HARMLESS_TEXT = ['figcaption', 'figure', 'mark', 'small', 'time', 'u', 'wbr']

/** Elements that load something; they are replaced with links. */
const LOADING = new Set(['img', 'picture', 'source'])

/**
 * The HTML that is kept: elements that show text, without scripts, styles, forms, frames, images and drawings; no attributes for
 * scripts, styles or classes; links to the web and to mail only. Other elements are replaced by their content.
 */
export const SCHEMA: Schema = {
  ...defaultSchema,
  tagNames: [
    ...(defaultSchema.tagNames ?? []).filter((name) => !LOADING.has(name)),
    ...ALSO_HARMLESS,
    ...ALSO_HARMLESS_TEXT,
  ],
  attributes: {
    ...defaultSchema.attributes,
    // GitHub's schema allows every attribute on every element. `align` becomes a class later.
    '*': ['align', 'dir', 'id', 'lang', 'title'],
    input: [...(defaultSchema.attributes?.['input'] ?? []), 'checked', 'ariaLabel'],
    td: ['colSpan', 'rowSpan', 'headers'],
    th: ['colSpan', 'rowSpan', 'headers', 'scope', 'abbr'],
    ol: [...(defaultSchema.attributes?.['ol'] ?? []), 'start', 'reversed', 'type'],
    li: [...(defaultSchema.attributes?.['li'] ?? []), 'value'],
    col: ['span'],
    colgroup: ['span'],
    time: ['dateTime'],
    details: ['open'],
    del: ['cite', 'dateTime'],
    ins: ['cite', 'dateTime'],
  },
  // Removed with their content, which is not text for readers.
  strip: [
    ...['script', 'style', 'title', 'head', 'template', 'noscript', 'noembed', 'noframes'],
    ...['svg', 'math', 'select', 'textarea', 'xmp', 'plaintext', 'applet', 'canvas'],
  ],
  protocols: { href: ['http', 'https', 'mailto', 'tel'], cite: ['http', 'https'] },
  // Ids get their prefix later, see `prefixIds`.
  clobber: [],
}
