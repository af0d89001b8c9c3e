// What suits a page to its reader: times in the reader's form, and the contents on a phone.
;(() => {
  // Times

  /** As pages show them without a script. Anything else was written by a person or formatted already. */
  const SHOWN = /^(?:\d{4}-\d\d-\d\d( \d\d:\d\d UTC)?|(\d\d:\d\d) UTC)$/

  const form = (options) => new Intl.DateTimeFormat(collabLanguage.locales, options)
  const minute = form({ dateStyle: 'medium', timeStyle: 'short' })
  const day = form({ dateStyle: 'medium' })
  const hour = form({ timeStyle: 'short' })
  /** A date without a time is the same everywhere. */
  const date = form({ dateStyle: 'medium', timeZone: 'UTC' })

  /** Shows a time in the reader's language and time zone, and the exact one as its tooltip. Keeps what follows it in its element. */
  function showTime(element) {
    const text = element.firstChild
    const [shown, clock, end] = (text instanceof Text && SHOWN.exec(text.data.trim())) || []
    const at = new Date(element.dateTime)
    if (shown === undefined || Number.isNaN(at.getTime()) || element.closest('.text')) return
    const format =
      end !== undefined ? endOf(element, at) : !element.dateTime.includes('T') ? date : clock ? minute : day
    text.data = format.format(at)
    element.lang = format.resolvedOptions().locale
    element.title = element.title === '' ? element.dateTime : `${element.dateTime} · ${element.title}`
  }

  /** The end of an event has its day only if it is another one where the reader is. */
  function endOf(element, at) {
    const start = element.previousElementSibling
    const isSameDay = start instanceof HTMLTimeElement && day.format(new Date(start.dateTime)) === day.format(at)
    return isSameDay ? hour : minute
  }

  const showTimes = (within) => {
    for (const element of within.querySelectorAll('time[datetime]')) showTime(element)
  }

  function watchTimes() {
    showTimes(document)
    // Lists and results come later.
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) {
        for (const node of addedNodes) {
          if (node instanceof HTMLTimeElement) showTime(node)
          else if (node instanceof Element) showTimes(node)
        }
      }
    }).observe(document.body, { childList: true, subtree: true })
  }

  // Contents: the browser opens and closes them

  function watchContents() {
    const side = document.getElementById('side')
    if (side === null || side.hidePopover === undefined) return
    const isOpen = () => side.matches(':popover-open')
    side.addEventListener('toggle', () => {
      if (isOpen()) side.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'center' })
    })
    // Otherwise the panel would cover what has the focus.
    side.addEventListener('focusout', ({ relatedTarget }) => {
      const isOutside = relatedTarget instanceof Element && !side.contains(relatedTarget)
      if (isOutside && !relatedTarget.matches('.to-side') && isOpen()) side.hidePopover()
    })
    // The phone was turned, and the sidebar is beside the text.
    matchMedia('(max-width: 52rem)').addEventListener('change', () => {
      if (isOpen()) side.hidePopover()
    })
  }

  const start = () => {
    watchTimes()
    watchContents()
  }
  void collabLanguage.ready.then(start)
})()
