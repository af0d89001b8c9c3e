// The only inline script of a page of the site; the page's security policy allows it by its hash.
;(() => {
  const root = document.documentElement
  try {
    const theme = localStorage.getItem('collab-theme')
    if (theme) root.dataset.theme = theme
  } catch {
    // Some browsers keep nothing for files: the theme of the system holds.
  }
  // A report contains the other scripts.
  if (root.dataset.root === undefined) return
  for (const name of ['language', 'theme', 'reading', 'site']) {
    const script = document.createElement('script')
    script.src = `${root.dataset.root}assets/${name}.js`
    script.async = false
    document.head.append(script)
  }
})()
