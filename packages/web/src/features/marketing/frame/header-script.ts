/** Serialized into the head of a page, so it must not use names from outside. */
function watchHeader() {
  const root = document.documentElement
  const updateHeader = () => {
    root.dataset.scrolled = scrollY > 50 ? 'yes' : 'no'
  }
  addEventListener('scroll', updateHeader, { passive: true })
  updateHeader()
  try {
    if (localStorage.getItem('auth_token') !== null) root.dataset.signedIn = 'yes'
  } catch {
    // Without storage there is no session.
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
 * Inline script of the header, so that the layout never shifts: the header changes after 50 px of scroll, members (with
 * a token in this browser) see the dashboard instead of the visitors' actions, and the menu closes on Escape, on a
 * click outside, or on a choice.
 */
export const headerScript = () => `(${watchHeader.toString()})()`
