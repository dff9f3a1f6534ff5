/** `linked` pages are opened from an email or a provider; `sandbox` pages exist in sandbox mode only. */
type PageAccess = 'public' | 'linked' | 'member' | 'sandbox'

interface PageDeclaration {
  readonly path: string
  readonly access: PageAccess
  /** The side menu's section, in this table's order. */
  readonly menu?: 'main' | 'account'
  /** In front of the page's name in the menu. */
  readonly icon?: string
  /** Sent without any application script. */
  readonly isStatic?: true
}

/** All pages, for router, prerendering, server redirects, side menu, sitemap and journeys. */
export const pages = {
  landing: { path: '/', access: 'public', isStatic: true },
  login: { path: '/login', access: 'public' },
  signup: { path: '/signup', access: 'public' },
  register: { path: '/register', access: 'linked' },
  verifyEmail: { path: '/verify-email', access: 'linked' },
  loginLink: { path: '/login-link', access: 'linked' },
  resetPassword: { path: '/reset-password', access: 'linked' },
  unrecognizedSignIn: { path: '/not-me', access: 'linked' },
  authCallback: { path: '/auth/callback', access: 'linked' },
  dashboard: { path: '/dashboard', access: 'member', menu: 'main', icon: 'home' },
  wallet: { path: '/wallet', access: 'member', menu: 'main', icon: 'wallet' },
  send: { path: '/send', access: 'member', menu: 'main', icon: 'send' },
  transactions: { path: '/transactions', access: 'member', menu: 'main', icon: 'list' },
  deposit: { path: '/deposit', access: 'member' },
  withdraw: { path: '/withdraw', access: 'member' },
  profile: { path: '/profile', access: 'member', menu: 'account', icon: 'person' },
  settings: { path: '/settings', access: 'member', menu: 'account', icon: 'settings' },
  gallery: { path: '/gallery', access: 'sandbox' },
} as const satisfies Record<string, PageDeclaration>

export type PageName = keyof typeof pages

/** Paths of pages with this access, in order. */
export const pathsWithAccess = (access: PageAccess): string[] =>
  Object.values(pages).flatMap((page) => (page.access === access ? [page.path] : []))

/** Paths of pages without application script. */
export const staticPaths: readonly string[] = Object.values(pages).flatMap((page) =>
  'isStatic' in page ? [page.path] : [],
)
