/** Runs by itself at the head of a page, so it refers to nothing around it. */
function watchHeader() {
  const root = document.documentElement
  const follow = () => {
    root.dataset.scrolled = scrollY > 50 ? 'yes' : 'no'
  }
  addEventListener('scroll', follow, { passive: true })
  follow()
  try {
    if (localStorage.getItem('auth_token') !== null) root.dataset.signedIn = 'yes'
  } catch {
    // A browser without storage has no session.
  }
  addEventListener('click', ({ target }) => {
    const menu = document.querySelector('details[open]')
    if (menu && !(menu.contains(target as Node) && !(target as Element).closest('a'))) menu.removeAttribute('open')
  })
  addEventListener('keydown', ({ key }) => {
    const menu = document.querySelector('details[open]')
    if (key !== 'Escape' || !menu) return
    menu.removeAttribute('open')
    menu.querySelector('summary')?.focus()
  })
}

/**
 * The script of the header, inline so that the page never jumps: the header changes after 50 px of scroll, members (who
 * have a token in this browser) see the dashboard instead of visitors' actions, and the menu closes with Escape, beside
 * it, or with a choice.
 */
export const headerScript = () => `(${watchHeader.toString()})()`
