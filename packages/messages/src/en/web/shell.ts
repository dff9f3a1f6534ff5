/** The frame around every page, and what the shared components say by themselves. */
export const shell = {
  brand: 'Tern',
  pageTitle: (page: string) => `${page} · Tern`,
  skipToContent: 'Skip to content',
  mainMenu: 'Main',
  accountMenu: 'Account',
  openMenu: 'Open menu',
  closeMenu: 'Close menu',
  menu: 'Menu',
  logout: 'Logout',
  loading: 'Loading',
  processing: 'Processing...',
  close: 'Close',
  tryAgain: 'Try again',
  completed: 'Completed',
  pending: 'Pending',
  failed: 'Failed',
  unknown: 'Unknown',
  moneyIn: 'received',
  moneyOut: 'sent',
  today: 'Today',
  yesterday: 'Yesterday',
  offline: 'You are offline.',
  offlineSince: (time: string) => `You are offline. Amounts are from ${time}.`,
  notFoundTitle: 'Nothing lives at this address',
  notFoundText: 'The page may have moved, or the link has a typing error. Your money is where you left it.',
  toStart: 'Go to the start page',
  crashTitle: 'This page stumbled',
  crashText:
    'Nothing was sent or changed by this. Load the page again; if it keeps happening, come back a little later.',
  reload: 'Load again',
}

/** What the pages are called: in the browser's tab, and mostly at their head. The table of pages says which is whose. */
export const titles = {
  landing: 'Send money abroad',
  login: 'Log in',
  signup: 'Create an Account',
  register: 'Identity Verification',
  verifyEmail: 'Email verification',
  resetPassword: 'Reset your password',
  unrecognizedSignIn: "This wasn't you?",
  dashboard: 'Dashboard',
  wallet: 'My Wallet',
  send: 'Send money',
  transactions: 'Transactions',
  deposit: 'Deposit Funds',
  withdraw: 'Withdraw Funds',
  profile: 'Profile',
  settings: 'Settings',
  gallery: 'Components',
}

/** What the menu calls them. */
export const menu = { ...titles, wallet: 'Wallet', send: 'Send' }
