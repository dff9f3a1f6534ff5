export const compliance = {
  description: 'License, identity checks, limits, screening and books of this Tern, and what is not there yet.',
  lead: 'Who licenses this installation, what is checked, and what is not there yet.',
  clauses: {
    license: {
      title: 'License',
      none: 'No money transmitter license is set for this installation. Once one is, its number and regulator stand here.',
      set: 'Money transmitter license of this installation:',
      register: 'See it in the public register',
      bank: 'Tern is not a bank, and balances are not insured deposits.',
      short: 'Shown here as whoever runs this Tern has set it.',
    },
    identity: {
      title: 'Identity checks',
      text: [
        'Everyone is verified before money moves: legal name, date of birth, address, nationality, national ID number and document number. Nobody under 18 is verified. The national numbers of all ten countries are checked for their format and, where there are any, their check digits; an identity provider checks the rest and answers.',
        'A number that somebody else is verified by verifies nobody: a person looks first. Until a check has passed nothing leaves a wallet and nobody can send to it. A form can be sent again with what was missing.',
      ],
      short: 'Identity first, then money.',
      where: 'open an account',
    },
    limits: {
      title: 'Limits',
      text: [
        'Unless whoever runs this installation has set others, a verified person moves at most the worth of 10,000 US dollars in one payment, 15,000 in a day and 50,000 in 30 days, in each direction. Days are those of UTC. Without verification the limit is nothing.',
      ],
      short: '10,000 a payment, 15,000 a day, 50,000 in 30 days.',
      where: 'your limits in Settings',
    },
    screening: {
      title: 'Screening',
      text: [
        'Whoever sends an identity form is compared with the lists below, in Latin, Arabic, Cyrillic and Chinese letters, also when a name is misspelled; and again whenever a list, their name or their form changes. The name that a guest gives with a card payment is compared before the card is charged, and whoever a bank names as an account’s holder when it is linked and before money leaves to it. Whoever runs this installation loads the lists. One that gets too old raises an alarm.',
      ],
      caption: 'Lists in this installation',
      columns: { list: 'List', since: 'In force since', checked: 'Last checked', names: 'Entries' },
      lists: {
        ofac_sdn: 'United States: OFAC, Specially Designated Nationals',
        ofac_consolidated: 'United States: OFAC, other lists',
        un: 'United Nations: Security Council',
        eu: 'European Union: financial sanctions',
        uk: 'United Kingdom: UK Sanctions List',
        pep: 'People in public office',
      },
      notLoaded: 'Not loaded',
      // What it does not do yet.
      limits:
        'While a list closely fits somebody’s name, what they send, get from others, exchange or withdraw is held until two people have decided; so is what is paid to or by a guest or an account’s holder whom one fits, and a payment that completes an unusual pattern. As far as the law lets us tell, they see what kind of check runs, what is needed and by when it is decided, and can object; whoever decides about that has had nothing to do with it. Where a bank tells no holder’s name, only the account’s owner is compared.',
      short:
        'Everyone verified, and whom they pay without an account, is compared, with lists whose dates you see. Nothing is held in silence.',
      where: 'your checks',
    },
    people: {
      title: 'Who decides',
      text: [
        'What no program should decide alone waits at the operators’ desk: forms in doubt, held transfers, differences in the books. Every decision has a reason. Above the worth of 1,000 US dollars two different people decide, and the second doesn’t see what the first said; if they disagree, a third does.',
        'The desk cannot be reached from the public address, knows no customer’s login, and keeps a log in which every line is sealed by the next.',
      ],
      short: 'Two people for what is large. Everything on record.',
      where: 'who looked at your data',
    },
    books: {
      title: 'Books',
      text: [
        'Every movement is a balanced double entry that nobody can change or delete. A command proves the books of a running installation, and every night they are compared with the records of the payment partners.',
      ],
      short: 'Double entry, proven and compared.',
      where: 'the claims and their tests',
    },
  },
}
