/** The frame of the public pages: header, waitlist, closing call and footer. */
export const frame = {
  menu: 'Main',
  openMenu: 'Menu',
  howItWorks: 'How It Works',
  security: 'Security',
  logIn: 'Log in',
  openDashboard: 'Open dashboard',
  joinWaitlist: 'Join Waitlist',
  email: 'Email address',
  emailExample: 'you@example.com',
  waitlistHint: 'One email when your country opens. Nothing else.',
  waitlistThanks: 'Thank you for joining our waitlist!',
  closingCall: 'Be there when your country opens.',
  footer: 'Footer',
  footerTitle: 'An Arctic tern flies from pole to pole and back, every year.',
  footerText:
    'About 70,000 km on a body of 100 grams. We took the name as a promise about weight: carry only what is needed, take the straight line, arrive.',
  product: 'Tern',
  legal: 'Legal',
  terms: 'Terms',
  privacy: 'Privacy',
  compliance: 'Compliance',
  license: 'License:',
  noLicense:
    'no money transmitter license is set for this installation. Once one is, its number and regulator stand here.',
  notABank: 'Tern is not a bank.',
  copyright: '© 2026 Tern',
}
