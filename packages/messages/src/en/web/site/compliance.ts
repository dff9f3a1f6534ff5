export const compliance = {
  description: 'Tern’s license, identity checks, limits, screening and books.',
  lead: 'Who licenses Tern, what we check, and where our checks end.',
  clauses: {
    license: {
      title: 'License',
      none: 'No money transmitter license is listed yet.',
      set: 'Money transmitter license:',
      register: 'See it in the public register',
      bank: 'Tern is not a bank, and balances are not insured deposits.',
      short: 'The license, if there is one, and its regulator.',
    },
    identity: {
      title: 'Identity checks',
      text: [
        'Everyone is verified before money moves: legal name, date of birth, address, nationality, national ID number and document number. No one under 18 is verified. We check the format and check digits of the national ID numbers of all ten countries; an identity provider checks the rest.',
        'If an ID number is already in use, a person reviews it. Until a check has passed, nothing leaves a wallet and no one can send to it. You can send the form again with what was missing.',
      ],
      short: 'Identity first, then money.',
      where: 'open an account',
    },
    limits: {
      title: 'Limits',
      text: [
        'By default, a verified person can send, exchange and withdraw up to 10,000 US dollars in one payment, 15,000 US dollars in a day (UTC) and 50,000 US dollars in 30 days, and can add as much from cards and banks. Settings show the limits that apply to you. Without verification, no money can leave a wallet.',
      ],
      short: '10,000 US dollars a payment, 15,000 US dollars a day, 50,000 US dollars in 30 days.',
      where: 'your limits in Settings',
    },
    screening: {
      title: 'Screening',
      text: [
        'Everyone who sends an identity form is compared with the lists below, in Latin, Arabic, Cyrillic and Chinese letters and allowing for spelling, and again whenever a list, their name or their form changes. A guest’s name is compared before their card is charged, and a bank account holder’s name when the account is linked and before money goes to it. A list that gets too old raises an alarm.',
      ],
      caption: 'Lists in use',
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
      // Limitations of the screening.
      limits:
        'If a name closely matches, payments wait until two reviewers decide. The same holds for payments to or from guests and bank account holders, and for payments that complete an unusual pattern. As far as the law allows, you see what kind of check it is, what we need and by when it is decided, and you can object; a person who was not involved decides about the objection. If a bank does not share the holder’s name, only the account’s owner is compared.',
      short: 'Everyone is compared with lists whose dates you see. Nothing is held in silence.',
      where: 'your checks',
    },
    people: {
      title: 'Who decides',
      text: [
        'Some decisions need a person: unclear forms, held transfers, differences in the books. Every decision has a reason. Above 1,000 US dollars two different people decide, and the second doesn’t see the first answer; if they disagree, a third decides.',
        'Operators work at a separate address that the public cannot reach, with logins of their own. Every line of their log is sealed by the next.',
      ],
      short: 'Large decisions need two people. Everything is recorded.',
      where: 'who looked at your data',
    },
    books: {
      title: 'Books',
      text: [
        'Every movement is a balanced double entry that no one can change or delete. A command recomputes the books while the service runs, and every night they are compared with the records of our payment partners.',
      ],
      short: 'Double entry, recomputed and compared.',
      where: 'how we test this',
    },
  },
}
