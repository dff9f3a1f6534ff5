/**
 * The passwords of at least ten characters that lead published lists of leaked ones, in lower case. Repetitions and
 * runs along the alphabet or the keyboard are recognised by rule and not listed.
 */
export const commonPasswords: ReadonlySet<string> = new Set(
  `password01 password10 password11 password12 password123 password1234 password12345 password123456 password2020
  password2021 password2022 password2023 password2024 password2025 password2026 password123! password1! password!!
  passwordpassword mypassword mypassword1 mypassword123 newpassword newpassword1 newpassword123 thepassword
  p@ssword12 p@ssword123 p@ssw0rd12 p@ssw0rd123 p@ssw0rd1234 passw0rd12 passw0rd123 passw0rd1234 pa55word123
  pa$$word123 changeme12 changeme123 changeme1234 changemenow letmein123 letmein1234 letmeinnow welcome123 welcome1234
  welcome2024 welcome2025 welcome2026 welcome123! welcome@123 administrator admin12345 admin123456 admin123!
  admin@123 adminadmin admin@1234 root123456 rootroot123 superadmin test123456 testtest123 testing123 testing1234
  test1234567 user123456 guest12345 default123 temp123456 temppassword qwerty1234 qwerty12345 qwerty123456 qwerty123!
  qwertyqwerty qwertyuiop1 qwertyuiop123 1qaz2wsx3edc 1qaz2wsx3e 1q2w3e4r5t 1q2w3e4r5t6y q1w2e3r4t5 q1w2e3r4t5y6 zaq12wsxcde3
  zaq1zaq1zaq1 qazwsxedcrfv qazwsxedc123 asdfghjkl1 asdfghjkl123 asdf123456 asdf1234567 zxcvbnm123 zxcvbnm1234 abc1234567
  abc123456789 abcd123456 abcd1234567 abc12345678 abcdef1234 abcdef12345 abcdef123456 a123456789 a1234567890 aa123456789
  a1b2c3d4e5 a1b2c3d4e5f6 123456789a 1234567890a 123456789q 12345qwert 123456qwerty 1234567890q 123qwe123qwe 123qweasdzxc
  123qweasd1 qwe123qwe123 qweasdzxc1 qweasdzxc123 0987654321a 1029384756 1357924680 2468101214 1122334455 1234554321
  12345678910 123456789123 1234512345 123454321a 123321123321 147258369a 1472583690 159753159753 741852963a 7418529630
  1111111111a 0000000000a iloveyou12 iloveyou123 iloveyou1234 iloveyou2u iloveyousomuch iloveyouforever ilovemyself
  ilovemyfamily ilovemymom loveyou123 mylove1234 princess12 princess123 princess1234 sunshine12 sunshine123 sunshine1234
  football12 football123 football1234 baseball12 baseball123 basketball basketball1 volleyball michael123 jennifer12
  jessica123 charlie123 jordan1234 ashley1234 daniel1234 superman12 superman123 superman1234 batman1234 spiderman1
  spiderman123 pokemon123 pokemon1234 starwars12 starwars123 starwars1234 dragon1234 dragon12345 monkey1234 monkey12345
  shadow1234 master1234 master12345 killer1234 hello12345 hello123456 helloworld helloworld1 helloworld123 hellohello
  whatever12 whatever123 trustno1trustno1 computer12 computer123 internet12 internet123 samsung123 samsung1234
  google1234 facebook12 facebook123 linkedin123 microsoft1 minecraft1 minecraft123 chocolate1 chocolate123 butterfly1
  butterfly123 strawberry strawberry1 watermelon liverpool1 liverpool123 manchester manchesterunited chelsea123
  arsenal1234 barcelona1 barcelona123 realmadrid realmadrid1 juventus123 california california1 washington australia1
  christmas1 jesuschrist jesuschrist1 jesus12345 blessed123 godisgood1 godisgreat thankyou123 goodluck123 happy12345
  secret1234 secret12345 secretpassword supersecret opensesame mustang123 corvette123 ferrari123 mercedes123 porsche911
  metallica1 blink182blink playstation playstation2 nintendo64 unbelievable motherlode babygirl12 babygirl123
  sweetheart alexander1 alexander123 christopher elizabeth1 elizabeth123 nicholas123 stephanie1 sebastian1 sebastian123
  correcthorsebatterystaple summer2024 summer2025 summer2026 winter2024 winter2025 winter2026 spring2025 spring2026
  autumn2025 autumn2026 january2026 monday1234 friday1234 money12345 business123 wallet1234 wallet12345 bitcoin123
  bitcoin1234 ethereum123 crypto1234 transfer123 sendmoney1 sendmoney123`.split(/\s+/),
)
