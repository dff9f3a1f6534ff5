/**
 * The page about security. Each claim says what is so today, and leads to where it can be seen, or names the test that
 * proves it.
 */
export const securityPage = {
  description: 'How Tern protects your account, checks identities, keeps its books and treats your data.',
  headline: 'Don’t take our word for it.',
  lead: 'Each line on this page describes something the product does. Next to it is the place where you can see it work, or the test that proves it.',
  jump: 'On this page',
  drawing:
    'Four checks lie around your money: a new device or place, password or passkey, second factor, and a confirmation of the payment itself',
  layers: ['New device or place', 'Password or passkey', 'Second factor', 'This very payment'],
  yourMoney: 'Your money',
  layersInWords:
    'From the outside in: a new device or place, your password or passkey, a second factor, a confirmation of this very payment. Then your money.',
  seeIt: (where: string) => `See it work: ${where}`,
  provenBy: 'Proven by the test',
  sections: {
    account: {
      short: 'Your account',
      title: 'How We Protect Your Account',
      claims: {
        twoFactor: {
          title: 'Two-factor authentication',
          text: 'A passkey, or a six-digit code from your app on top of your password. Once it is on, no way of logging in goes around it.',
          where: 'turn it on in Settings',
        },
        alerts: {
          title: 'Alerts for new devices and places',
          text: 'A login from a new browser or country sends you an email with a link to say that it wasn’t you. It logs out every device and blocks the password.',
          where: 'log in from another browser',
        },
        confirmation: {
          title: 'A confirmation of each risky payment',
          text: 'Payments add up: after 100 dollars or five payments since your last confirmation we ask again, and for the fourth new payee of a day. Somebody you first paid over a day ago can get another 1,000 dollars a day. Your answer is tied to that person and that amount, and is good for nothing else.',
          where: 'change the amount after confirming',
        },
        limits: {
          title: 'Limits',
          text: 'At most 10,000 dollars a payment, 15,000 a day and 50,000 in 30 days, unless whoever runs this installation has set others. You can set lower ones for a day and for 30 days: lowering works at once, raising takes a confirmation and 24 hours.',
          where: 'your limits in Settings',
        },
        freeze: {
          title: 'Freeze your account with one press',
          text: 'At once nothing leaves it, and nothing is charged to your cards and banks. The email about a first payment to somebody does it too, without a login. Unfreezing takes a confirmation.',
          where: 'freeze your account',
        },
        devices: {
          title: 'Log out any device, at once',
          text: 'You see each device and country that is logged in, and end one of them or all others. It takes effect with the next click over there.',
          where: 'your devices',
        },
        cardMoney: {
          title: 'Card money matures',
          text: 'Money added by card goes to people at once, and to a bank after seven days, also from whoever it was sent to: a stolen card turns into no cash here. Money from a bank waits a week or two. While a payment that was taken back is owed, nothing leaves.',
          where: 'what you can withdraw now',
        },
        guessing: {
          title: 'Guessing does not pay',
          text: 'After five wrong passwords an account waits, longer each time, however many addresses the guesses come from. Leaked passwords are refused from the start.',
        },
      },
    },
    identity: {
      short: 'KYC & AML',
      title: 'KYC & Anti-Money Laundering',
      claims: {
        verified: {
          title: 'Everyone is verified',
          text: 'Name, date of birth, address, a document number and the national ID number of one of ten countries, with its check digits, before the first transfer. A number that somebody else is verified by goes to a person.',
          where: 'open an account',
        },
        unverified: {
          title: 'No identity, no money',
          text: 'Until your identity is verified nothing leaves your wallet, and nobody can send to it.',
        },
        screening: {
          title: 'Sanctions and PEP screening',
          text: 'Everyone who sends an identity form is compared with lists of sanctions and of people in public office, and again whenever a list changes. A close fit holds what they send until two people have decided.',
          where: 'the lists here, with their dates',
        },
        counterparties: {
          title: 'Names without an account, too',
          text: 'A guest who pays a request is compared with the lists before the card is charged, and whoever a bank names as an account’s holder before money leaves to it.',
        },
        checks: {
          title: 'No silent freeze',
          text: 'Money that waits for a check says so, as far as the law lets us tell: what kind of check, what we need, by when it is decided, and what happens if it isn’t cleared. You can object, and somebody else decides.',
          where: 'your checks',
        },
        desk: {
          title: 'Two people for what is large',
          text: 'What only a person can decide waits at a desk that the public address cannot reach. Above 1,000 dollars two decide, the second without seeing the first.',
        },
      },
    },
    compliance: {
      short: 'Compliance',
      title: 'Regulatory Compliance',
      claims: {
        license: {
          title: 'Money transmitter license',
          text: 'No money transmitter license is set for this installation. Once one is, its number and regulator stand here.',
          where: 'the Compliance page',
        },
        ledger: {
          title: 'A ledger no one can alter',
          text: 'Every movement is written twice, out of one account and into another. A refund is a new entry, never an erasure: the database itself refuses to change or delete one, even to our own program.',
        },
        audit: {
          title: 'Books that prove themselves',
          text: 'One command adds up every currency to zero, works out every balance again from its entries, and finds each kind of tampering that its test tries.',
        },
        reconciliation: {
          title: 'Books compared every night',
          text: 'Our ledger is compared with the records of each card and bank partner. A difference stays open until a person has dealt with it.',
        },
      },
    },
    data: {
      short: 'Your data',
      title: 'Your Data Your Privacy',
      claims: {
        encrypted: {
          title: 'Encrypted where it is kept',
          text: 'ID, document and tax numbers are encrypted before they are stored. A test searches every table and log for them.',
        },
        uploads: {
          title: 'Documents made anew, then encrypted',
          text: 'Photos and PDFs are judged by their content, made anew without location and other hidden details, and encrypted. Nobody else’s login opens them.',
        },
        tls: {
          title: 'Encrypted on its way',
          text: 'Tern refuses to start under an address without TLS, except on a developer’s own machine.',
        },
        cards: {
          title: 'Card numbers never reach us',
          text: 'You enter cards and bank accounts on our payment partner’s secure page. We keep the last digits and a token.',
          where: 'add money',
        },
        noTrackers: {
          title: 'Never sold',
          text: 'No ads, no trackers, no scripts of others. The rules that this page gives your browser forbid it to load from anybody else or to send to anybody else.',
        },
        manage: {
          title: 'Yours to see and manage',
          text: 'You see everything we hold about you and what you agreed to; you download, correct and delete it yourself.',
          where: 'everything we hold about you',
        },
        looked: {
          title: 'You see who looked',
          text: 'Each time an operator opens something of yours, you can read when, what and why, unless the law forbids us to tell. Nobody can take a line out of the log behind it.',
          where: 'who looked at your data',
        },
      },
    },
  },
  weakness: 'Found a weakness?',
  weaknessText: 'Tell us before you tell anyone else.',
  report: 'Report a vulnerability',
  noContact: 'No security contact is set for this installation.',
}
