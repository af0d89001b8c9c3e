// The language of the interface: pages are written in English, and elements with `data-t` hold texts of the site, which a dictionary translates.
globalThis.collabLanguage = (() => {
  const root = document.documentElement

  /** The languages, each called as it calls itself. A dictionary is a file of this folder: `zh.js`. */
  const LANGUAGES = { en: 'English', zh: '中文' }

  /** Attributes that are texts of the site. */
  const ATTRIBUTES = ['aria-label', 'data-name']

  /** Full-width punctuation includes its space: spaces beside it are removed. */
  const [SPACE_BEFORE, SPACE_AFTER] = [/\s+(?=[，。：；、（）])/g, /(?<=[，。：；、（）])\s+/g]

  const SPACES_IN_CHINESE = /(?<=\p{Script=Han})\s+(?=\p{Script=Han})/gu

  const NUMBERS = /\d(?:[\d,]*\d)?(?:\.\d+)?/g

  const stored = (() => {
    try {
      return localStorage.getItem('collab-language')
    } catch {
      return null
    }
  })()
  const ofBrowser = navigator.languages.map((name) => name.slice(0, 2).toLowerCase())
  const language = [stored, ...ofBrowser].find((name) => name in LANGUAGES) ?? 'en'

  /** The languages of dates and numbers: as the reader's browser has them, if that is the language of the interface. */
  const ownLocales = navigator.languages.filter((name) => name.toLowerCase().startsWith(language))
  const locales = ownLocales.length > 0 ? ownLocales : stored === null ? navigator.languages : [language]

  /** The texts in this language by those in English, where `#` is any number. */
  let texts = globalThis.collabTexts?.[language] ?? {}

  function translated(english) {
    const numbers = english.match(NUMBERS) ?? []
    const found = texts[english.replace(NUMBERS, '#').replace(/\s+/g, ' ').trim()]
    return found === undefined ? null : found.replace(/#/g, () => numbers.shift() ?? '')
  }

  /** A text of the site in the reader's language; each `#` becomes the next number. */
  function t(english, ...numbers) {
    return (texts[english.trim()] ?? english).replace(/#/g, () => numbers.shift()?.toLocaleString(locales) ?? '')
  }

  /** Translates the texts of the site in what was written in English. */
  function translate() {
    const done = new Set()
    for (const element of document.querySelectorAll('[data-t]')) {
      for (const node of element.childNodes) {
        const found = node instanceof Text && translated(node.data)
        if (node instanceof Text && found) {
          const text = node.data.replace(/\S(?:.*\S)?/s, () => found)
          node.data = text.replace(SPACE_BEFORE, '').replace(SPACE_AFTER, '')
          done.add(node)
        }
      }
      for (const name of ATTRIBUTES) {
        const found = translated(element.getAttribute(name) ?? '')
        if (found !== null) element.setAttribute(name, found)
      }
      const { previousSibling: before, nextSibling: after, textContent: text } = element
      if (before instanceof Text && /^[，。：；、（）]/.test(text)) before.data = before.data.trimEnd()
      if (after instanceof Text && /[，。：；、（）]$/.test(text)) after.data = after.data.trimStart()
    }
    for (const element of document.querySelectorAll('[data-t]')) {
      for (const node of element.childNodes) {
        if (node instanceof Text && (done.has(node) || node.data.trim() === '')) closeUp(node, done)
      }
    }
  }

  /** Removes the space between a text of the site and the one before or after it, if both are Chinese: texts of users keep theirs. */
  function closeUp(node, done) {
    let [last, first] = [node.previousSibling, node.nextSibling]
    while (last?.lastChild) last = last.lastChild
    while (first?.firstChild) first = first.firstChild
    const left = done.has(last) ? last.data.slice(-1) : ''
    const right = done.has(first) ? first.data.slice(0, 1) : ''
    const text = `${left}${node.data}${right}`.replace(SPACES_IN_CHINESE, '')
    node.data = text.slice(left.length, text.length - right.length)
  }

  function addButton() {
    const other = language === 'en' ? 'zh' : 'en'
    const button = document.createElement('button')
    Object.assign(button, { type: 'button', className: 'language', lang: other, textContent: LANGUAGES[other] })
    button.addEventListener('click', () => {
      try {
        localStorage.setItem('collab-language', other)
        location.reload()
      } catch {
        // Some browsers keep nothing for files: the language of the browser holds.
      }
    })
    document.querySelector('.tools')?.append(button)
  }

  async function loadTexts() {
    if (language === 'en' || globalThis.collabTexts !== undefined) return
    await new Promise((resolve) => {
      const script = document.createElement('script')
      script.src = `${root.dataset.root}assets/${language}.js`
      script.onload = script.onerror = resolve
      document.head.append(script)
    })
    texts = globalThis.collabTexts?.[language] ?? {}
  }

  const ready = (async () => {
    await loadTexts()
    if (document.readyState === 'loading') await new Promise((go) => document.addEventListener('DOMContentLoaded', go))
    if (language !== 'en') {
      root.lang = language
      translate()
    }
    addButton()
  })()

  return { t, locales, ready }
})()
