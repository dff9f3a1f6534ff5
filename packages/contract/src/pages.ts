/** Who a page is for. `linked` pages are opened by a link in an email or by a provider; `sandbox` pages exist in sandbox mode only. */
type PageAccess = 'public' | 'linked' | 'member' | 'sandbox'

interface PageDeclaration {
  readonly path: string
  readonly access: PageAccess
  /** The part of the side menu that lists the page, in the order of this table. */
  readonly menu?: 'main' | 'account'
  /** Sent without any application script. */
  readonly isStatic?: true
}

/**
 * Every page of the web app. The router, the prerendering, the server's redirects, the side menu, the sitemap and the
 * journeys all read this table.
 */
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
  dashboard: { path: '/dashboard', access: 'member', menu: 'main' },
  wallet: { path: '/wallet', access: 'member', menu: 'main' },
  send: { path: '/send', access: 'member', menu: 'main' },
  transactions: { path: '/transactions', access: 'member', menu: 'main' },
  deposit: { path: '/deposit', access: 'member' },
  withdraw: { path: '/withdraw', access: 'member' },
  profile: { path: '/profile', access: 'member', menu: 'account' },
  settings: { path: '/settings', access: 'member', menu: 'account' },
  gallery: { path: '/gallery', access: 'sandbox' },
} as const satisfies Record<string, PageDeclaration>

export type PageName = keyof typeof pages

/** The paths of all pages with this access, in the order of the table. */
export const pathsWithAccess = (access: PageAccess): string[] =>
  Object.values(pages).flatMap((page) => (page.access === access ? [page.path] : []))

/** The paths of the pages that are sent without any application script. */
export const staticPaths: readonly string[] = Object.values(pages).flatMap((page) =>
  'isStatic' in page ? [page.path] : [],
)
