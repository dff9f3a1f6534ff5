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
    // A browser that keeps no storage keeps nobody signed in.
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
 * What the header of the public pages does, in the page itself so that it never jumps: it changes once the page is
 * scrolled by 50 px, it offers the dashboard to whoever is signed in in this browser, and its menu closes with Escape,
 * beside it, or with a choice.
 */
export const headerScript = () => `(${watchHeader.toString()})()`
