/** Security page. For each claim, claims.ts names the page that shows it or the test that proves it. */
export const securityPage = {
  description: 'How Tern protects your account, checks identities, keeps its books and treats your data.',
  headline: 'How your money is protected',
  lead: 'Everything here is at work today. Links show you where.',
  jump: 'On this page',
  drawing:
    'Four checks lie around your money: a new device or place, password or passkey, second factor, and a confirmation of the payment itself',
  layers: ['New device or place', 'Password or passkey', 'Second factor', 'This very payment'],
  yourMoney: 'Your money',
  layersInWords: 'Four checks on the way to your money.',
  sections: {
    account: {
      short: 'Your account',
      title: 'How We Protect Your Account',
      claims: {
        twoFactor: {
          title: 'Two-factor authentication',
          text: 'A passkey, or a six-digit code on top of your password, for every login.',
          where: 'Turn it on',
        },
        alerts: {
          title: 'Alerts for new devices and places',
          text: 'When someone logs in from a new browser or country, we email you a “This wasn’t me” link.',
          where: 'Log in from another browser',
        },
        confirmation: {
          title: 'Confirmation of risky payments',
          text: 'We ask once payments since your last confirmation exceed 100 US dollars. Your answer can’t be used for anything else.',
          where: 'Try changing the amount',
        },
        limits: {
          title: 'Limits',
          text: 'Set your own. Lowering works at once; raising takes 24 hours.',
          where: 'Your limits in Settings',
        },
        freeze: {
          title: 'Freeze your account with one press',
          text: 'Nothing leaves it, and your cards can’t be charged.',
          where: 'Freeze',
        },
        devices: {
          title: 'Log out any device, at once',
          text: 'You see every device that is logged in.',
          where: 'Your devices',
        },
        cardMoney: {
          title: 'Card money waits',
          text: 'It can’t go to a bank at once, so a stolen card can’t be turned into cash.',
          where: 'What you can withdraw',
        },
        guessing: {
          title: 'Password guessing is slowed down',
          text: 'After five wrong passwords, each further try has to wait. Leaked passwords are refused.',
        },
      },
    },
    identity: {
      short: 'KYC & AML',
      title: 'KYC & Anti-Money Laundering',
      claims: {
        verified: {
          title: 'Everyone is verified',
          text: 'We check your details before your first transfer. If an ID number is already in use, a person reviews it.',
          where: 'How to get verified',
        },
        unverified: {
          title: 'No identity, no money',
          text: 'Until you are verified, nothing leaves your wallet and no one can send to it.',
        },
        screening: {
          title: 'Sanctions and PEP screening',
          text: 'Names are compared with official lists. If a name closely matches, payments wait until two reviewers decide.',
          where: 'The lists and their dates',
        },
        counterparties: {
          title: 'Names without an account',
          text: 'Guests are screened before their card is charged, bank account holders before money goes out.',
        },
        checks: {
          title: 'No silent freeze',
          text: 'When a payment waits, you see what we need and by when we decide, as far as the law allows.',
          where: 'Your checks',
        },
        desk: {
          title: 'Large decisions need two people',
          text: 'Above 1,000 US dollars two reviewers decide, and the second doesn’t see the first answer.',
        },
      },
    },
    compliance: {
      short: 'Compliance',
      title: 'Regulatory Compliance',
      claims: {
        license: {
          title: 'Money transmitter license',
          text: 'License number and regulator',
          where: 'Compliance',
        },
        ledger: {
          title: 'A ledger no one can alter',
          text: 'The database refuses to change or delete an entry.',
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
          text: 'Photos lose hidden details such as their location, then they are encrypted.',
        },
        tls: {
          title: 'Encrypted in transit',
          text: 'Tern refuses to run on a public address without TLS.',
        },
        cards: {
          title: 'Card numbers never reach us',
          text: 'You enter them on our payment partner’s secure page.',
          where: 'Add money',
        },
        noTrackers: {
          title: 'Never sold',
          text: 'No ads, no trackers, no third-party scripts.',
        },
        manage: {
          title: 'Yours to see and manage',
          text: 'See, download, correct and delete it.',
          where: 'Your data',
        },
        looked: {
          title: 'You see who looked',
          text: 'You can read when, what and why, unless the law forbids it.',
          where: 'Who looked',
        },
      },
    },
  },
  testing: 'How we test this',
  testingText:
    'Every claim links to where you can see it, or has an automated test. We also kill servers during thousands of payments; afterwards an independent program recomputes every balance.',
  testingDocs: 'Read how we test',
  weakness: 'Found a weakness?',
  weaknessText: 'Tell us before you tell anyone else.',
  report: 'Report a vulnerability',
}
