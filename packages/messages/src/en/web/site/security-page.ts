/** The page about security. Each claim is true today; claims.ts names where it can be seen, or the test that proves it. */
export const securityPage = {
  description: 'How Tern protects your account, checks identities, keeps its books and treats your data.',
  headline: 'How your money is protected',
  lead: 'Each line describes something the product does. Where you can see it work, a link takes you there.',
  jump: 'On this page',
  drawing:
    'Four checks lie around your money: a new device or place, password or passkey, second factor, and a confirmation of the payment itself',
  layers: ['New device or place', 'Password or passkey', 'Second factor', 'This very payment'],
  yourMoney: 'Your money',
  layersInWords:
    'From the outside in: a new device or place, your password or passkey, a second factor, a confirmation of this very payment. Then your money.',
  seeIt: (where: string) => `See it work: ${where}`,
  sections: {
    account: {
      short: 'Your account',
      title: 'How We Protect Your Account',
      claims: {
        twoFactor: {
          title: 'Two-factor authentication',
          text: 'A passkey, or a six-digit code on top of your password. Every way to log in asks for it.',
          where: 'turn it on in Settings',
        },
        alerts: {
          title: 'Alerts for new devices and places',
          text: 'A login from a new browser or country sends you an email with a “This wasn’t me” link.',
          where: 'log in from another browser',
        },
        confirmation: {
          title: 'Confirmation of risky payments',
          text: 'We ask again once payments since your last confirmation exceed US$100. Your answer can’t be used for anything else.',
          where: 'change the amount after confirming',
        },
        limits: {
          title: 'Limits',
          text: 'Set your own daily and 30-day limits. Lowering works at once; raising takes 24 hours.',
          where: 'your limits in Settings',
        },
        freeze: {
          title: 'Freeze your account with one press',
          text: 'Nothing leaves it, and your cards and banks can’t be charged. Unfreezing takes a confirmation.',
          where: 'freeze your account',
        },
        devices: {
          title: 'Log out any device, at once',
          text: 'You see every device that is logged in, and can end its session.',
          where: 'your devices',
        },
        cardMoney: {
          title: 'Card money waits',
          text: 'Money added by card can’t go to a bank at once, so a stolen card can’t be turned into cash.',
          where: 'what you can withdraw now',
        },
        guessing: {
          title: 'Password guessing is slowed down',
          text: 'After five wrong passwords an account waits, longer each time. Leaked passwords are refused.',
        },
      },
    },
    identity: {
      short: 'KYC & AML',
      title: 'KYC & Anti-Money Laundering',
      claims: {
        verified: {
          title: 'Everyone is verified',
          text: 'We check name, date of birth, address and ID numbers before the first transfer. If an ID number is already in use, a person reviews it.',
          where: 'open an account',
        },
        unverified: {
          title: 'No identity, no money',
          text: 'Until you are verified, nothing leaves your wallet and no one can send to it.',
        },
        screening: {
          title: 'Sanctions and PEP screening',
          text: 'Names are compared with official lists, and again whenever a list changes. If a name closely matches, payments wait until two reviewers decide.',
          where: 'the lists, with their dates',
        },
        counterparties: {
          title: 'Names without an account',
          text: 'Guest payers are screened before their card is charged, and account holders before money goes to their bank.',
        },
        checks: {
          title: 'No silent freeze',
          text: 'When money waits for a check, you see what we need and by when it is decided, as far as the law allows.',
          where: 'your checks',
        },
        desk: {
          title: 'Large decisions need two people',
          text: 'Above US$1,000 two reviewers decide, and the second doesn’t see the first answer.',
        },
      },
    },
    compliance: {
      short: 'Compliance',
      title: 'Regulatory Compliance',
      claims: {
        license: {
          title: 'Money transmitter license',
          text: '',
          where: 'the Compliance page',
        },
        ledger: {
          title: 'A ledger no one can alter',
          text: 'Every movement is recorded twice. The database refuses to change or delete an entry.',
        },
        audit: {
          title: 'Books that prove themselves',
          text: 'One command recomputes every balance and checks that each currency sums to zero.',
        },
        reconciliation: {
          title: 'Books compared every night',
          text: 'Our ledger is compared with the records of every card and bank partner.',
        },
      },
    },
    data: {
      short: 'Your data',
      title: 'Your Data Your Privacy',
      claims: {
        encrypted: {
          title: 'Encrypted in storage',
          text: 'ID, document and tax numbers are encrypted before they are stored.',
        },
        uploads: {
          title: 'Cleaned documents',
          text: 'Your photos lose their location and other hidden details, and are then encrypted.',
        },
        tls: {
          title: 'Encrypted in transit',
          text: 'Tern refuses to run on a public address without TLS.',
        },
        cards: {
          title: 'Card numbers never reach us',
          text: 'You enter them on our payment partner’s secure page.',
          where: 'add money',
        },
        noTrackers: {
          title: 'Never sold',
          text: 'No ads, no trackers, no third-party scripts.',
        },
        manage: {
          title: 'Yours to see and manage',
          text: 'See, download, correct and delete what we hold about you.',
          where: 'everything we hold about you',
        },
        looked: {
          title: 'You see who looked',
          text: 'When an operator opens your data, you can read when, what and why, unless the law forbids it.',
          where: 'who looked at your data',
        },
      },
    },
  },
  testing: 'How we test this',
  testingText:
    'Every claim has a place where you can see it or an automated test. We also kill servers in the middle of thousands of payments; afterwards an independent program recomputes every balance.',
  testingDocs: 'Read how we test',
  weakness: 'Found a weakness?',
  weaknessText: 'Tell us before you tell anyone else.',
  report: 'Report a vulnerability',
}
