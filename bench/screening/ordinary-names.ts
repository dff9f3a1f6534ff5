// Frequent given and family names by country, as published by statistics offices, for composing ordinary people.

const countries: Readonly<Record<string, readonly [given: string, family: string]>> = {
  'United States': [
    'James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William Barbara',
    'Smith Johnson Williams Brown Jones Miller Davis Wilson Anderson Taylor Thomas Moore',
  ],
  'United Kingdom': [
    'Oliver Olivia George Amelia Harry Isla Jack Ava Charlie Emily Thomas Sophie',
    'Smith Jones Taylor Brown Williams Wilson Johnson Davies Robinson Wright Thompson Evans',
  ],
  Ireland: [
    'Conor Aoife Sean Ciara Patrick Niamh Cian Saoirse Liam Roisin Oisin Sinead',
    'Murphy Kelly Walsh Byrne Ryan Doyle McCarthy Gallagher Doherty Kennedy Lynch Quinn',
  ],
  Germany: [
    'Lukas Anna Leon Marie Maximilian Sophie Felix Lena Jonas Hannah Stefan Katrin',
    'Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Koch Bauer',
  ],
  France: [
    'Jean Camille Pierre Léa Nicolas Manon Julien Chloé Thomas Emma Antoine Claire',
    'Martin Bernard Dubois Thomas Robert Richard Petit Durand Leroy Moreau Simon Laurent',
  ],
  Italy: [
    'Marco Giulia Francesco Sofia Alessandro Martina Andrea Chiara Matteo Sara Luca Elena',
    'Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco Bruno Gallo',
  ],
  Spain: [
    'Antonio María José Carmen Manuel Ana Francisco Laura David Isabel Javier Cristina',
    'García Rodríguez González Fernández López Martínez Sánchez Pérez Gómez Martín Jiménez Ruiz',
  ],
  Portugal: [
    'João Maria Pedro Ana Tiago Inês Diogo Beatriz Miguel Mariana Rui Catarina',
    'Silva Santos Ferreira Pereira Oliveira Costa Rodrigues Martins Jesus Sousa Fernandes Gonçalves',
  ],
  Brazil: [
    'Lucas Júlia Gabriel Larissa Felipe Camila Rafael Amanda Gustavo Fernanda Bruno Letícia',
    'Souza Lima Carvalho Almeida Ribeiro Araújo Barbosa Cardoso Nascimento Moreira Teixeira Rocha',
  ],
  Mexico: [
    'Luis Guadalupe Juan Verónica Carlos Alejandra Jorge Gabriela Ricardo Daniela Fernando Adriana',
    'Hernández Ramírez Flores Cruz Morales Reyes Gutiérrez Ortiz Chávez Ramos Mendoza Castillo',
  ],
  Colombia: [
    'Andrés Valentina Santiago Natalia Camilo Paola Sebastián Carolina Mauricio Diana Óscar Marcela',
    'Rojas Vargas Moreno Muñoz Castro Ortega Quintero Restrepo Cárdenas Suárez Giraldo Ospina',
  ],
  Netherlands: [
    'Daan Emma Sem Tess Bram Sanne Thijs Lotte Ruben Fleur Jeroen Marieke',
    'de_Jong Jansen de_Vries van_den_Berg Bakker van_Dijk Visser Smit Meijer de_Boer Mulder Bos',
  ],
  Sweden: [
    'Erik Anna Lars Maja Karl Elsa Nils Alva Oskar Wilma Gustav Ebba',
    'Andersson Johansson Karlsson Nilsson Eriksson Larsson Olsson Persson Svensson Gustafsson Lindberg Bergström',
  ],
  Finland: [
    'Juhani Aino Mikko Helmi Antti Venla Jari Kaisa Timo Päivi Ville Sanna',
    'Korhonen Virtanen Mäkinen Nieminen Mäkelä Hämäläinen Laine Heikkinen Koskinen Järvinen Lehtonen Saarinen',
  ],
  Poland: [
    'Jakub Zuzanna Piotr Agnieszka Tomasz Katarzyna Paweł Magdalena Krzysztof Joanna Marcin Ewa',
    'Nowak Kowalski Wiśniewski Wójcik Kowalczyk Kamiński Lewandowski Zieliński Szymański Woźniak Dąbrowski Mazur',
  ],
  Greece: [
    'Georgios Maria Dimitrios Eleni Konstantinos Katerina Ioannis Vasiliki Nikolaos Sofia Christos Angeliki',
    'Papadopoulos Georgiou Dimitriou Vlachos Nikolaidis Oikonomou Makris Karagiannis Pappas Antoniou Ioannidis Samaras',
  ],
  Turkey: [
    'Mehmet Zeynep Mustafa Elif Emre Ayşe Murat Fatma Burak Merve Hakan Selin',
    'Yılmaz Kaya Demir Şahin Çelik Yıldız Aydın Öztürk Arslan Doğan Kılıç Aslan',
  ],
  Russia: [
    'Александр Анна Дмитрий Мария Сергей Елена Андрей Ольга Алексей Наталья Иван Татьяна',
    'Смирнов Иванов Кузнецов Соколов Попов Лебедев Козлов Новиков Морозов Петров Волков Соловьёв',
  ],
  Ukraine: [
    'Oleksandr Oksana Andrii Iryna Serhii Nataliia Volodymyr Olena Mykola Yuliia Taras Kateryna',
    'Melnyk Shevchenko Kovalenko Bondarenko Boiko Tkachenko Kravchenko Kovalchuk Oliinyk Shevchuk Polishchuk Lysenko',
  ],
  Egypt: [
    'Ahmed Fatma Mahmoud Nour Mostafa Mariam Karim Salma Omar Yasmin Tarek Heba',
    'Hassan Ibrahim Abdelrahman Mahmoud Fawzy Shaker Gamal Nasser Farouk Mansour Zaki Rizk',
  ],
  Morocco: [
    'Youssef Khadija Rachid Amina Hicham Salma Karim Zineb Mehdi Imane Anas Hajar',
    'Alaoui Bennani El_Idrissi Tazi Berrada Chraibi Benjelloun Lahlou El_Amrani Fassi Kettani Sqalli',
  ],
  Nigeria: [
    'Chinedu Ngozi Emeka Amaka Tunde Folake Segun Yetunde Ibrahim Aisha Uche Blessing',
    'Okafor Adeyemi Okonkwo Balogun Eze Adebayo Nwosu Ogunleye Obi Bello Chukwu Afolabi',
  ],
  Kenya: [
    'Kevin Wanjiku Brian Akinyi Dennis Njeri Peter Achieng Samuel Wambui Joseph Chebet',
    'Mwangi Otieno Kamau Odhiambo Njoroge Kiprotich Wanjala Mutua Kariuki Omondi Cheruiyot Maina',
  ],
  Ethiopia: [
    'Abebe Tigist Dawit Hanna Yonas Selam Bekele Meron Tesfaye Rahel Girma Bethlehem',
    'Tadesse Alemu Kebede Haile Desta Mekonnen Assefa Worku Negash Tefera Lemma Demissie',
  ],
  India: [
    'Rahul Priya Amit Pooja Rajesh Anjali Suresh Neha Vikram Kavita Arjun Deepa',
    'Sharma Patel Gupta Reddy Singh Kumar Iyer Nair Mehta Joshi Desai Banerjee',
  ],
  Pakistan: [
    'Muhammad Ayesha Ali Fatima Usman Sana Bilal Hira Hamza Maryam Faisal Zainab',
    'Khan Malik Butt Chaudhry Qureshi Siddiqui Mirza Raja Shah Akhtar Hussain Javed',
  ],
  Bangladesh: [
    'Rafiq Nusrat Kamal Sharmin Tanvir Farhana Shakib Jannatul Imran Sadia Arif Taslima',
    'Rahman Islam Hossain Akter Chowdhury Ahmed Uddin Begum Sarkar Das Mia Khatun',
  ],
  China: ['伟 芳 娜 敏 静 丽 强 磊 洋 秀英 建国 晓明', '王 李 张 刘 陈 杨 黄 赵 吴 周 徐 孙'],
  'Hong Kong': [
    'Wai_Man Ka_Yan Chi_Ming Siu_Ling Kin_Wah Mei_Ling Ho_Yin Wing_Sze Tsz_Kin Hoi_Ying Man_Kit Suk_Yee',
    'Chan Leung Cheung Wong Lam Ng Ho Lau Tsang Yip Kwok Tang',
  ],
  Japan: [
    'Haruto Yui Sota Hina Takashi Yoko Kenji Akiko Hiroshi Keiko Daiki Misaki',
    'Sato Suzuki Takahashi Tanaka Watanabe Ito Yamamoto Nakamura Kobayashi Kato Yoshida Yamada',
  ],
  Korea: [
    'Min-jun Seo-yeon Ji-hoon Ji-woo Sung-min Hye-jin Hyun-woo Eun-ji Dong-hyun Soo-jin Young-ho Mi-kyung',
    'Kim Lee Park Choi Jung Kang Cho Yoon Jang Lim Han Oh',
  ],
  Vietnam: [
    'Minh Lan Hùng Hương Tuấn Thảo Dũng Linh Nam Mai Quang Trang',
    'Nguyễn Trần Lê Phạm Hoàng Phan Vũ Đặng Bùi Đỗ Hồ Ngô',
  ],
  Indonesia: [
    'Budi Siti Agus Dewi Eko Sri Andi Putri Rizky Ayu Hendra Wulan',
    'Santoso Wijaya Setiawan Kurniawan Hidayat Susanto Nugroho Saputra Pratama Gunawan Suharto Lestari',
  ],
  Philippines: [
    'Jose Maria Juan Angelica Mark Kristine John_Paul Mary_Grace Ramon Rosario Jerome Maricel',
    'Dela_Cruz Santos Reyes Bautista Ocampo Villanueva Aquino Mendoza Garcia Pascual Navarro Salazar',
  ],
  'Egypt, in Arabic': [
    'أحمد فاطمة محمود نور مصطفى مريم كريم سلمى عمر ياسمين طارق هبة',
    'حسن إبراهيم عبدالرحمن محمود فوزي شاكر جمال ناصر فاروق منصور زكي رزق',
  ],
  'Saudi Arabia, in Arabic': [
    'عبدالله نورة فهد سارة خالد ريم سلطان منيرة تركي العنود ماجد هند',
    'العتيبي القحطاني الغامدي الدوسري الشمري الحربي المطيري الشهري الزهراني العنزي السبيعي البلوي',
  ],
  'Iran, in Persian': [
    'رضا زهرا حسین مریم امیر سارا مهدی نسرین بهروز لیلا فرهاد شیرین',
    'احمدی حسینی رضایی کریمی مرادی جعفری رحیمی ابراهیمی صادقی کاظمی قربانی باقری',
  ],
  'Pakistan, in Urdu': [
    'محمد عائشہ علی فاطمہ عثمان ثنا بلال حرا حمزہ مریم فیصل زینب',
    'خان ملک بٹ چوہدری قریشی صدیقی مرزا راجہ شاہ اختر حسین جاوید',
  ],
  Israel: [
    'Noam Noa Itai Tamar David Maya Yosef Shira Daniel Yael Amir Michal',
    'Cohen Levi Mizrahi Peretz Biton Dahan Avraham Friedman Malka Azoulay Katz Shapiro',
  ],
  Iran: [
    'Reza Zahra Hossein Maryam Amir Sara Mehdi Nasrin Behrouz Leila Farhad Shirin',
    'Ahmadi Hosseini Rezaei Karimi Moradi Jafari Rahimi Ebrahimi Sadeghi Kazemi Ghorbani Bagheri',
  ],
}

const perCountry = 70

/** Names of 2,800 people, 70 per country; within a country no name occurs twice, and the order is mixed. */
export const ordinaryNames: readonly string[] = Object.values(countries).flatMap(([givenNames, family]) => {
  const [first, last] = [givenNames, family].map((names) => names.split(' ').map((name) => name.replaceAll('_', ' ')))
  const pairs = (first ?? []).flatMap((name, row) =>
    (last ?? []).map((_, column) => `${name} ${last?.[(row * 5 + column) % last.length] ?? ''}`),
  )
  // Steps of 59 visit each of the 144 pairs once.
  return Array.from({ length: perCountry }, (_, index) => pairs[(index * 59) % pairs.length] ?? '')
})
