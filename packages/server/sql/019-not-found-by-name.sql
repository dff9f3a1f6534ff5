-- Owner: identity. People are found by username and email alone, so the name as search compared it is needed no more.

alter table app_user drop column search_name;
