-- expand
-- Whether a user has confirmed having saved their recovery codes, which come with the first two-factor method.

alter table people add column codes_confirmed boolean not null default true;
comment on column people.codes_confirmed is 'False from the moment recovery codes are issued until the person has typed one of them.';
