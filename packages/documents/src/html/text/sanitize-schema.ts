import { defaultSchema, type Schema } from 'hast-util-sanitize'

/** Harmless elements that GitHub's schema, on which this one is based, leaves out. */
const ALSO_HARMLESS = ['abbr', 'address', 'bdi', 'bdo', 'caption', 'center', 'cite', 'col', 'colgroup', 'dfn']
const ALSO_HARMLESS_TEXT = ['figcaption', 'figure', 'font', 'mark', 'small', 'time', 'u', 'wbr']

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
  attributes: { ...defaultSchema.attributes, input: [...(defaultSchema.attributes?.['input'] ?? []), 'ariaLabel'] },
  // Removed with their content, which is not text for readers.
  strip: [
    ...['script', 'style', 'title', 'head', 'template', 'noscript', 'noembed', 'noframes'],
    ...['svg', 'math', 'select', 'textarea', 'xmp', 'plaintext', 'applet', 'canvas'],
  ],
  protocols: { href: ['http', 'https', 'mailto', 'tel'], cite: ['http', 'https'] },
  // Ids get their prefix later, see `prefixIds`.
  clobber: [],
}
