import type { titles } from '@tern/messages/en/web/shell'

interface PageDeclaration {
  readonly path: string
  readonly title: keyof typeof titles
  /** Icon of the navigation item. Pages with an icon appear in the tab bar of phones or in its More menu. */
  readonly icon?: string
  /** True if the page has its own cell in the tab bar. */
  readonly cell?: true
  /** Section of the side navigation on wide screens; pages follow the order of this table. */
  readonly menu?: 'main' | 'account'
  /** Page in the side navigation that shows this page as one of its tabs. */
  readonly tabOf?: string
}

/** All pages, for router, titles, prerendering, navigation and end-to-end tests. Part of the browser bundle. */
export const pages = {
  landing: { path: '/', title: 'landing' },
  howItWorks: { path: '/how-it-works', title: 'howItWorks' },
  security: { path: '/security', title: 'security' },
  prices: { path: '/prices', title: 'prices' },
  recompute: { path: '/recompute', title: 'recompute' },
  verifyReceipt: { path: '/verify', title: 'verifyReceipt' },
  terms: { path: '/terms', title: 'terms' },
  privacy: { path: '/privacy', title: 'privacy' },
  compliance: { path: '/compliance', title: 'compliance' },
  login: { path: '/login', title: 'login' },
  signup: { path: '/signup', title: 'signup' },
  register: { path: '/register', title: 'register' },
  verifyEmail: { path: '/verify-email', title: 'verifyEmail' },
  loginLink: { path: '/login-link', title: 'login' },
  resetPassword: { path: '/reset-password', title: 'resetPassword' },
  unrecognizedSignIn: { path: '/not-me', title: 'unrecognizedSignIn' },
  freezeAccount: { path: '/freeze', title: 'freezeAccount' },
  cancelPayment: { path: '/cancel', title: 'cancelPayment' },
  pay: { path: '/pay', title: 'pay' },
  track: { path: '/track', title: 'track' },
  certificate: { path: '/certificate', title: 'certificate' },
  authCallback: { path: '/auth/callback', title: 'login' },
  dashboard: { path: '/dashboard', title: 'dashboard', icon: 'home', cell: true, menu: 'main' },
  wallet: { path: '/wallet', title: 'wallet', icon: 'wallet', menu: 'main' },
  send: { path: '/send', title: 'send', icon: 'send', cell: true, menu: 'main' },
  receive: { path: '/receive', title: 'receive', icon: 'receive', cell: true, menu: 'main' },
  exchange: { path: '/exchange', title: 'exchange', icon: 'swap', cell: true, tabOf: 'wallet' },
  orders: { path: '/exchange/orders', title: 'orders', tabOf: 'wallet' },
  protection: { path: '/exchange/protection', title: 'protection', tabOf: 'wallet' },
  transactions: { path: '/transactions', title: 'transactions', icon: 'list', menu: 'main' },
  statements: { path: '/statements', title: 'statements', icon: 'page', tabOf: 'transactions' },
  insights: { path: '/insights', title: 'insights', icon: 'bars', tabOf: 'transactions' },
  atlas: { path: '/atlas', title: 'atlas', tabOf: 'transactions' },
  deposit: { path: '/deposit', title: 'deposit', icon: 'deposit', tabOf: 'wallet' },
  withdraw: { path: '/withdraw', title: 'withdraw', icon: 'bank', tabOf: 'wallet' },
  scheduled: { path: '/scheduled', title: 'scheduled', icon: 'calendar', tabOf: 'send' },
  split: { path: '/split', title: 'split', icon: 'people', tabOf: 'receive' },
  receipt: { path: '/receipt', title: 'receipt' },
  disputes: { path: '/disputes', title: 'disputes' },
  checks: { path: '/checks', title: 'checks' },
  calls: { path: '/calls', title: 'calls' },
  demo: { path: '/demo', title: 'demo' },
  profile: { path: '/profile', title: 'profile', icon: 'person', menu: 'account' },
  settings: { path: '/settings', title: 'settings', icon: 'settings', menu: 'account' },
  help: { path: '/help', title: 'help', icon: 'info', menu: 'account' },
  limitSettings: { path: '/settings/limits', title: 'limitSettings' },
  deviceSettings: { path: '/settings/devices', title: 'deviceSettings' },
  privacySettings: { path: '/settings/privacy', title: 'privacySettings' },
  notificationSettings: { path: '/settings/notifications', title: 'notificationSettings' },
  connectionSettings: { path: '/settings/connections', title: 'connectionSettings' },
  gallery: { path: '/gallery', title: 'gallery' },
} as const satisfies Record<string, PageDeclaration>

export type PageName = keyof typeof pages

/** `linked`: opened from an email, a link or a provider's page. `development`: only where enabled. */
type PageAccess = 'public' | 'linked' | 'member' | 'development'

interface PageDelivery {
  readonly access: PageAccess
  /** True if served without application script. */
  readonly isStatic?: true
  /** True if the path continues with a code that the page reads. */
  readonly hasCode?: true
}

/**
 * Access and delivery of each page, for server redirects, the build, the sitemap and end-to-end tests. Not part of the
 * browser bundle.
 */
const deliveries: Readonly<Record<PageName, PageDelivery>> = {
  landing: { access: 'public', isStatic: true },
  howItWorks: { access: 'public', isStatic: true },
  security: { access: 'public', isStatic: true },
  prices: { access: 'public', isStatic: true },
  recompute: { access: 'public', hasCode: true },
  verifyReceipt: { access: 'public' },
  terms: { access: 'public', isStatic: true },
  privacy: { access: 'public', isStatic: true },
  compliance: { access: 'public', isStatic: true },
  help: { access: 'public', isStatic: true },
  login: { access: 'public' },
  signup: { access: 'public' },
  register: { access: 'linked' },
  verifyEmail: { access: 'linked' },
  loginLink: { access: 'linked' },
  resetPassword: { access: 'linked' },
  unrecognizedSignIn: { access: 'linked' },
  freezeAccount: { access: 'linked' },
  cancelPayment: { access: 'linked' },
  pay: { access: 'linked' },
  track: { access: 'linked', hasCode: true },
  certificate: { access: 'linked', hasCode: true },
  authCallback: { access: 'linked' },
  dashboard: { access: 'member' },
  wallet: { access: 'member' },
  exchange: { access: 'member' },
  orders: { access: 'member' },
  protection: { access: 'member' },
  send: { access: 'member' },
  scheduled: { access: 'member' },
  receive: { access: 'member' },
  split: { access: 'member' },
  transactions: { access: 'member' },
  statements: { access: 'member' },
  insights: { access: 'member' },
  atlas: { access: 'member' },
  receipt: { access: 'member' },
  disputes: { access: 'member', hasCode: true },
  checks: { access: 'member', hasCode: true },
  calls: { access: 'member' },
  deposit: { access: 'member' },
  withdraw: { access: 'member' },
  demo: { access: 'member' },
  profile: { access: 'member' },
  settings: { access: 'member' },
  limitSettings: { access: 'member' },
  deviceSettings: { access: 'member' },
  privacySettings: { access: 'member' },
  notificationSettings: { access: 'member' },
  connectionSettings: { access: 'member' },
  gallery: { access: 'development' },
}

const listPaths = (matches: (page: PageDelivery) => boolean | undefined): string[] =>
  (Object.keys(pages) as PageName[]).flatMap((name) => (matches(deliveries[name]) ? [pages[name].path] : []))

/** Returns the paths of pages with this access, in the order of the table. */
export const listPathsByAccess = (access: PageAccess): string[] => listPaths((page) => page.access === access)

/** Returns the paths of pages whose path continues with a code. */
export const listPathsWithCode = (): string[] => listPaths(({ hasCode }) => hasCode)

/** Returns the paths of pages without application script. */
export const listStaticPaths = (): string[] => listPaths(({ isStatic }) => isStatic)
