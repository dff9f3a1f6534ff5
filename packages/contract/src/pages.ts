import type { titles } from '@tern/messages/en/web/shell'

/** `linked` pages are opened from an email or a provider; `sandbox` pages exist in sandbox mode only. */
type PageAccess = 'public' | 'linked' | 'member' | 'sandbox'

interface PageDeclaration {
  readonly path: string
  readonly access: PageAccess
  readonly title: keyof typeof titles
  /** The side menu's section, in this table's order. */
  readonly menu?: 'main' | 'account'
  /** In front of the page's name in the menu. */
  readonly icon?: string
  /** Sent without any application script. */
  readonly isStatic?: true
}

/** All pages, for router, titles, prerendering, server redirects, side menu, sitemap and journeys. */
export const pages = {
  landing: { path: '/', access: 'public', title: 'landing', isStatic: true },
  howItWorks: { path: '/how-it-works', access: 'public', title: 'howItWorks', isStatic: true },
  security: { path: '/security', access: 'public', title: 'security', isStatic: true },
  terms: { path: '/terms', access: 'public', title: 'terms', isStatic: true },
  privacy: { path: '/privacy', access: 'public', title: 'privacy', isStatic: true },
  compliance: { path: '/compliance', access: 'public', title: 'compliance', isStatic: true },
  login: { path: '/login', access: 'public', title: 'login' },
  signup: { path: '/signup', access: 'public', title: 'signup' },
  register: { path: '/register', access: 'linked', title: 'register' },
  verifyEmail: { path: '/verify-email', access: 'linked', title: 'verifyEmail' },
  loginLink: { path: '/login-link', access: 'linked', title: 'login' },
  resetPassword: { path: '/reset-password', access: 'linked', title: 'resetPassword' },
  unrecognizedSignIn: { path: '/not-me', access: 'linked', title: 'unrecognizedSignIn' },
  pay: { path: '/pay', access: 'linked', title: 'pay' },
  authCallback: { path: '/auth/callback', access: 'linked', title: 'login' },
  dashboard: { path: '/dashboard', access: 'member', title: 'dashboard', menu: 'main', icon: 'home' },
  wallet: { path: '/wallet', access: 'member', title: 'wallet', menu: 'main', icon: 'wallet' },
  send: { path: '/send', access: 'member', title: 'send', menu: 'main', icon: 'send' },
  scheduled: { path: '/scheduled', access: 'member', title: 'scheduled', menu: 'main', icon: 'clock' },
  receive: { path: '/receive', access: 'member', title: 'receive', menu: 'main', icon: 'receive' },
  transactions: { path: '/transactions', access: 'member', title: 'transactions', menu: 'main', icon: 'list' },
  receipt: { path: '/receipt', access: 'member', title: 'receipt' },
  deposit: { path: '/deposit', access: 'member', title: 'deposit' },
  withdraw: { path: '/withdraw', access: 'member', title: 'withdraw' },
  demo: { path: '/demo', access: 'member', title: 'demo' },
  profile: { path: '/profile', access: 'member', title: 'profile', menu: 'account', icon: 'person' },
  settings: { path: '/settings', access: 'member', title: 'settings', menu: 'account', icon: 'settings' },
  gallery: { path: '/gallery', access: 'sandbox', title: 'gallery' },
} as const satisfies Record<string, PageDeclaration>

export type PageName = keyof typeof pages

/** Paths of pages with this access, in order. */
export const pathsWithAccess = (access: PageAccess): string[] =>
  Object.values(pages).flatMap((page) => (page.access === access ? [page.path] : []))

/** Paths of pages without application script. */
export const staticPaths: readonly string[] = Object.values(pages).flatMap((page) =>
  'isStatic' in page ? [page.path] : [],
)
