-- What a search index holds of texts, so that an index finds parts of words in every language: of ASCII words each three letters or digits in
-- a row, the last ones, and single ones at both ends; of other characters each one and each two in a row. Nothing here depends on the
-- locale of the database, and no extension is needed. Windows are cut by replacing each one by itself and a space: a set of rows, one per window, takes ten times as long.
-- An array may not exceed a gigabyte, and a text of a megabyte has nearly all tokens: such texts are looked at in every search.
-- The cost keeps the planner from computing the tokens of all rows instead of using the index.
CREATE OR REPLACE FUNCTION search_tokens(VARIADIC texts text[]) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
DECLARE
  value text := array_to_string(texts, E'\n');
  words text;
  others text;
  tokens text[];
BEGIN
  IF octet_length(value) > 1000000 THEN
    RETURN '{long}';
  END IF;
  words := regexp_replace(lower(value COLLATE "C"), '[^a-z0-9]+', ' ', 'g') || '  ';
  tokens := string_to_array(regexp_replace(words, '...', '\& ', 'g') || ' ' || regexp_replace(substr(words, 2), '...', '\& ', 'g')
    || ' ' || regexp_replace(substr(words, 3), '...', '\& ', 'g'), ' ');
  IF octet_length(value) > char_length(value) THEN
    others := regexp_replace(value COLLATE "C", '[\x01-\x7f]+', ' ', 'g') || ' ';
    tokens := tokens || string_to_array(others, NULL) || string_to_array(regexp_replace(others, '..', '\& ', 'g') || ' '
      || regexp_replace(substr(others, 2), '..', '\& ', 'g'), ' ');
  END IF;
  RETURN tokens;
END;
$$;
COMMENT ON FUNCTION search_tokens(text[]) IS 'What the search indexes hold of texts: see collab-extract search-index';
