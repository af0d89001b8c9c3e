// The button that changes the theme: automatic, light or dark.
void collabLanguage.ready.then(() => {
  const THEMES = ['auto', 'light', 'dark']
  const SIGNS = { auto: '◐', light: '☀', dark: '☾' }
  const root = document.documentElement
  const button = document.createElement('button')
  Object.assign(button, { type: 'button', className: 'theme' })
  const show = (theme) => {
    if (theme === 'auto') delete root.dataset.theme
    else root.dataset.theme = theme
    button.textContent = SIGNS[theme]
    button.title = collabLanguage.t(`Theme: ${theme}`)
    button.setAttribute('aria-label', button.title)
  }
  show(THEMES.includes(root.dataset.theme) ? root.dataset.theme : 'auto')
  button.addEventListener('click', () => {
    const theme = THEMES[(THEMES.indexOf(root.dataset.theme ?? 'auto') + 1) % THEMES.length]
    show(theme)
    try {
      if (theme === 'auto') localStorage.removeItem('collab-theme')
      else localStorage.setItem('collab-theme', theme)
    } catch {
      // It holds for this page, then.
    }
  })
  document.querySelector('.tools').append(button)
})
