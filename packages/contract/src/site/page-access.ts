import { type PageName, pages } from '../pages.ts'

/** `linked` pages are opened from an email, a link or a provider; `development` pages only where enabled. */
type PageAccess = 'public' | 'linked' | 'member' | 'development'

interface Served {
  readonly access: PageAccess
  /** Sent without any application script. */
  readonly isStatic?: true
  /** True if the path is followed by a code, which the page reads. */
  readonly hasCode?: true
}

/** Access and delivery of each page: for server redirects, the build, the sitemap and journeys. */
const served: Readonly<Record<PageName, Served>> = {
  landing: { access: 'public', isStatic: true },
  howItWorks: { access: 'public', isStatic: true },
  security: { access: 'public', isStatic: true },
  prices: { access: 'public', isStatic: true },
  recompute: { access: 'public', hasCode: true },
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
  receipt: { access: 'member' },
  disputes: { access: 'member', hasCode: true },
  checks: { access: 'member', hasCode: true },
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

const pathsWhere = (isMeant: (page: Served) => boolean | undefined): string[] =>
  (Object.keys(pages) as PageName[]).flatMap((name) => (isMeant(served[name]) ? [pages[name].path] : []))

/** Returns the paths of pages with this access, in order. */
export const pathsWithAccess = (access: PageAccess): string[] => pathsWhere((page) => page.access === access)

/** Paths of pages whose path is followed by a code. */
export const pathsWithCode: readonly string[] = pathsWhere(({ hasCode }) => hasCode)

/** Paths of pages without application script. */
export const staticPaths: readonly string[] = pathsWhere(({ isStatic }) => isStatic)
